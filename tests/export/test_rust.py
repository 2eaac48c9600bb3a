"""Rust modules predict as the models they are made of, compiled by rustc."""

from __future__ import annotations

import math
import shutil
import struct
import subprocess
import sys
from decimal import Decimal, localcontext
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from export.compiled import QUICK_CASES, deciding, drawn_tree, hostile, large_trees, many_categories, other_ways
from export.exported import checked, is_refused, learned
from hypothesis import given, settings
from hypothesis import strategies as st
from node_answers import other_rows
from strategies import seeded_or_shrinking

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.export import rust
from hornbeam.export.judges.check import check
from hornbeam.export.judges.compilers import compile_with, find_wasm

RUNTIME = Path(hornbeam.export.__file__).parent / "runtimes" / "rust"
pytestmark = pytest.mark.skipif(not shutil.which("rustc"), reason="rustc is not on the path")


def _agrees(path: Path, model: Any, rows: Table, runtime: str = "rustc") -> None:
    (path / "model.rs").write_text(rust(model), "utf-8")
    found = check(path / "model.rs", model, rows, runtime)
    assert found.is_equal, str(found)


@pytest.mark.parametrize(("scheme", "name"), QUICK_CASES)
def test_every_scheme_on_every_example_set(scheme: Any, name: str) -> None:
    if is_refused(scheme):
        with pytest.raises(TypeError, match="as Rust"):
            rust(learned(scheme, name))
        return
    found = checked(rust, ".rs", "rustc", name)[scheme]
    assert found.is_equal, str(found)


@settings(max_examples=12)
@given(data=st.data(), random=seeded_or_shrinking())
def test_drawn_trees(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, random: Any) -> None:
    _agrees(tmp_path_factory.mktemp("rust"), *drawn_tree(data, random))


def test_hostile_names_and_values(tmp_path: Path) -> None:
    for model, rows in hostile():
        _agrees(tmp_path, model, rows)


def test_in_web_assembly(tmp_path: Path) -> None:
    """Another machine: 32 bits, no standard library of C, run by Node.js."""
    missing = find_wasm()
    if missing:
        pytest.skip(f"the runtime of the export is not on this machine: {missing}")
    table = hornbeam.read("glass")
    for estimator in (
        hornbeam.C45Classifier(),
        hornbeam.GradientBoostingClassifier(n_estimators=3, random_state=0),
        hornbeam.SVMClassifier(probability=True, random_state=0),
        hornbeam.MixtureModel(3, random_state=0),
    ):
        _agrees(tmp_path, estimator.fit(table), other_rows(table, 60, seed=5), "wasm")
    for model, rows in hostile():
        _agrees(tmp_path, model, rows, "wasm")


def test_texts_that_c_cannot_hold(tmp_path: Path) -> None:
    names = ("a", "b\0c", "\u202e} \u2028", "{}")
    table = Table(Schema((Nominal("x\0", names), Nominal("y", names)), name="rows"), [[0, 1, 2, 3], [0, 1, 2, 3]])
    tree = hornbeam.C45Classifier(min_samples_leaf=1).fit(table.with_target("y"))
    assert tree.model_.n_leaves == 4
    _agrees(tmp_path, tree, table.with_target("y"))


def test_ten_thousand_categories(tmp_path: Path) -> None:
    for model, rows in many_categories():
        _agrees(tmp_path, model, rows)


def test_costs_thresholds_and_clusters(tmp_path: Path) -> None:
    for model, rows in deciding():
        _agrees(tmp_path, model, rows)


def test_other_options_and_weighted_rows(tmp_path: Path) -> None:
    for model, rows in other_ways():
        _agrees(tmp_path, model, rows)


def test_large_trees(tmp_path: Path) -> None:
    _agrees(tmp_path, *large_trees())


def test_powers_of_columns(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=100)
    table = Table(Schema((Numeric("x"), Numeric("y")), name="rows"), [x, x**5 - 3 * x**3 + random.normal(size=100)])
    estimator = hornbeam.PolynomialRegressor(degree=5).fit(table.with_target("y"))
    assert rust(estimator).count("Factor::new(0, 5, ") == 1
    _agrees(tmp_path, estimator, table.with_target("y"))


@pytest.mark.parametrize("edition", ["2018", "2021", "2024"])
def test_modules_need_no_standard_library(tmp_path: Path, edition: str) -> None:
    """One crate without std, without unsafe code and without warnings, of models with every part of the program."""
    table, numbers = hornbeam.read("labor"), hornbeam.read("servo")
    estimators = {
        "bagging": hornbeam.BaggingClassifier(n_estimators=2, random_state=0).fit(table),
        "boosting": hornbeam.GradientBoostingClassifier(n_estimators=2).fit(table),
        "clusters": hornbeam.KMeans(2, random_state=0).fit(table),
        "mixtures": hornbeam.MixtureModel(2, random_state=0).fit(table),
        "neighbors": hornbeam.NeighborsRegressor().fit(numbers),
        "rules": hornbeam.RipperClassifier(random_state=0).fit(table),
        "svm": hornbeam.SVMClassifier(random_state=0).fit(table),
    }
    for name, estimator in estimators.items():
        (tmp_path / f"{name}.rs").write_text(rust(estimator), "utf-8")
    modules = "".join(f"pub mod {name};\n" for name in estimators)
    (tmp_path / "models.rs").write_text(f"#![no_std]\n#![forbid(unsafe_code)]\n#![deny(warnings)]\n{modules}", "utf-8")
    text = "".join(rust(estimator) for estimator in estimators.values())
    assert all(part.read_text("utf-8").rstrip() in text for part in RUNTIME.glob("*.rs"))
    options = [f"--edition={edition}", "--crate-type=lib", "--emit=metadata", f"--out-dir={tmp_path}"]
    compile_with(["rustc", *options, str(tmp_path / "models.rs")])


def test_the_example_of_the_page(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "export" / "rust.md").read_text("utf-8")
    example = page.split("```rust\n")[1].split("```")[0]
    (tmp_path / "main.rs").write_text(example, "utf-8")
    (tmp_path / "play.rs").write_text(rust(hornbeam.C45Classifier().fit(hornbeam.read("weather.numeric"))), "utf-8")
    compile_with(["rustc", "--edition=2021", "-Dwarnings", str(tmp_path / "main.rs"), "-o", str(tmp_path / "main")])
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    assert f"// {done.stdout.strip()}\n" in example


PROGRAM = """
use std::io::{Read, Write};
include!("numbers.rs");

fn main() {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).unwrap();
    for chunk in bytes.chunks_exact(8) {
        let x = f64::from_ne_bytes(chunk.try_into().unwrap());
        for y in [exp(x), sqrt(x), power(x, 3), power(x, -2)] {
            std::io::stdout().write_all(&y.to_ne_bytes()).unwrap();
        }
    }
}
"""


def test_functions_of_numbers(tmp_path: Path) -> None:
    """The square root is that of IEEE 754, the exponential function within one unit of the last digit."""
    shutil.copy(RUNTIME / "numbers.rs", tmp_path)
    (tmp_path / "main.rs").write_text(PROGRAM, "utf-8")
    options = ["--edition=2021", "-Coverflow-checks=on", "-o", str(tmp_path / "main")]
    compile_with(["rustc", *options, str(tmp_path / "main.rs")])
    random = Random(0)  # noqa: S311 - numbers, not secrets
    numbers = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 5e-324, sys.float_info.min, sys.float_info.max]
    numbers += [-745.13, -745.14, 709.77, 709.79, -708.5, 0.34657359027997264, -0.34657359027997264, 1e-300, -1e-20]
    numbers += [random.uniform(-745, 709) for _ in range(1000)] + [random.uniform(-2, 2) for _ in range(1000)]
    numbers += [math.ldexp(random.random(), random.randrange(-1073, 1024)) for _ in range(1000)]
    numbers += [math.nextafter(k * k, side) for k in range(2**26, 2**26 + 100) for side in (0, k * k, math.inf)]
    packed = struct.pack(f"{len(numbers)}d", *numbers)
    done = subprocess.run([tmp_path / "main"], input=packed, capture_output=True, check=True)
    for x, (e, root, cube, inverse) in zip(numbers, struct.iter_unpack("4d", done.stdout), strict=True):
        expected = math.nan if x < 0 else math.sqrt(x)
        assert struct.pack("d", root) == struct.pack("d", expected) or (math.isnan(root) and math.isnan(expected)), x
        if -746 < x < 709.78:
            assert _units(e, x) <= 1, x
        else:
            assert struct.pack("d", e) == struct.pack("d", math.nan if math.isnan(x) else 0.0 if x < 0 else math.inf), x
        if 1e-90 < abs(x) < 1e90:
            assert cube == pytest.approx(x**3, rel=1e-15, abs=0)
            assert inverse == pytest.approx(x**-2, rel=1e-15, abs=0)


def _units(found: float, x: float) -> Decimal:
    """How far an exponential is off, in units of its last digit."""
    with localcontext() as context:
        context.prec = 40
        exact = Decimal(x).exp()
        return abs(Decimal(found) - exact) / Decimal(math.ulp(float(exact)))
