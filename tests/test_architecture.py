"""The rules of the building: names, lazy imports, schemes equal to signatures, kernels listed."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

import hornbeam
from hornbeam.schemes import ALL_SCHEMES as SCHEMES
from hornbeam.schemes import Scheme
from hornbeam.schemes.scheme import Range

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "hornbeam"

# No scheme's name below the recipe: where these words may stand.
SCHEME_WORDS = re.compile(r"weka|compat|(?<![a-z0-9])(?:c45|j48|m5|ripper|rpart)(?![a-z0-9])", re.IGNORECASE)
MAY_NAME_SCHEMES = (
    "__init__.py",
    "schemes/",
    "learn/compat/",
    "cli/",
    "show/",
    "scale/trees/supported.py",  # names the parameters of estimators that are refused
)
HEAVY = ("numpy", "scipy", "sklearn", "pyarrow", "pandas", "polars", "duckdb", "rich")


def sources(*endings: str) -> list[Path]:
    found = sorted(path for path in SOURCE.rglob("*") if path.suffix in endings)
    assert found
    return found


def estimator_files() -> set[str]:
    return {scheme.module.removeprefix("hornbeam.").replace(".", "/") + ".py" for scheme in SCHEMES}


def code_of(text: str) -> str:
    """A source text without its comments and docstrings: those may name the program or the paper that they follow."""
    text = re.sub(r'(?m)^[ \t]*[rR]?"""(?:.|\n)*?"""', "", text)
    text = re.sub(r"/\*(?:.|\n)*?\*/", "", text)
    return re.sub(r"(?m)(^|[ \t])#(?!define|include|if|else|endif).*$|//.*$", "", text)


def names_a_scheme(text: str) -> list[str]:
    return [line.strip() for line in code_of(text).splitlines() if SCHEME_WORDS.search(line)]


def test_no_scheme_is_named_below_the_recipe() -> None:
    found = {}
    for path in sources(".py", ".pyi", ".pyx", ".pxd", ".pxi", ".h"):
        place = path.relative_to(SOURCE).as_posix()
        if place in estimator_files() or place.startswith(MAY_NAME_SCHEMES) or path.name == "__init__.py":
            continue
        lines = names_a_scheme(path.read_text(encoding="utf-8"))
        if lines:
            found[place] = lines
    assert not found


@pytest.mark.parametrize("line", ["if compat:", "style='weka'", "def c45(x):", "name = 'an M5 tree'", "ripper"])
def test_the_name_rule_can_fail(line: str) -> None:
    assert names_a_scheme(line)


@pytest.mark.parametrize(
    "line", ["m50 = 1", "tripper", "counterpart", "x = 1  # as in J48", '"""WEKA\'s\nquicksort."""']
)
def test_the_name_rule_leaves_other_words_and_comments_alone(line: str) -> None:
    assert not names_a_scheme(line)


def loaded_by(statement: str) -> set[str]:
    program = f"import sys; {statement}; print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(result.stdout.split())


def packages_loaded_by(statement: str) -> set[str]:
    return {name.partition(".")[0] for name in loaded_by(statement)}


@pytest.mark.parametrize(
    ("statement", "allowed"),
    [
        ("import hornbeam", ()),
        ("import hornbeam.schemes", ()),
        ("import hornbeam.cli.main", ()),
        ("from hornbeam.cli.main import run; run(['--help']); run(['schemes']); run(['learn', '--help'])", ()),
        ("import hornbeam.model.files.storage, hornbeam.show.texts.styles, hornbeam.export", ("numpy",)),
        ("import hornbeam.data.table, hornbeam.data.schema", ("numpy",)),
        ("import hornbeam.data.read", ("numpy", "pyarrow")),
    ],
)
def test_imports_are_lazy(statement: str, allowed: tuple[str, ...]) -> None:
    assert packages_loaded_by(statement) & set(HEAVY) <= set(allowed)


def test_learning_a_tree_imports_no_other_learner() -> None:
    loaded = loaded_by("from hornbeam.cli.main import run; run(['learn', 'weather', '--cv', '0'])")
    assert "hornbeam.learn.trees.c45" in loaded
    families = "clusters|forests|linear|neighbors|rules|svm"
    unneeded = rf"hornbeam\.(report|export|(core|learn|model|show\.texts)\.({families})\b|evaluate\.(starts|curves))"
    assert not [name for name in loaded if re.match(unneeded, name)]


def test_commands_import_few_modules(tmp_path: Path) -> None:
    table, model = str(tmp_path / "rows.csv"), str(tmp_path / "model")
    hornbeam.read("weather").write(table)
    program = "from hornbeam.cli.main import run; run({})"
    learned = loaded_by(program.format(["learn", table, "--target", "play", "--cv", "0"]))
    assert len([name for name in learned if name.startswith("hornbeam")]) < 120
    hornbeam.C45Classifier().fit(hornbeam.read("weather")).save(model)
    rows = hornbeam.read("weather")
    rows.select(rows.schema.features).write(table)
    predicted = loaded_by(program.format(["predict", model, table]))
    assert len([name for name in predicted if name.startswith("hornbeam")]) < 50


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.name)
def test_schemes_are_the_signatures(scheme: Scheme) -> None:
    signature = inspect.signature(scheme.load().__init__)
    real = {name: parameter.default for name, parameter in signature.parameters.items() if name != "self"}
    assert {parameter.name: parameter.default for parameter in scheme.parameters} == real
    assert [parameter.name for parameter in scheme.parameters] == list(real)


BY_POSITION = {
    "acuity",
    "degree",
    "estimator",
    "n_clusters",
    "n_components",
    "n_estimators",
    "n_neighbors",
    "selection",
}


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.name)
def test_at_most_the_first_parameter_is_given_by_position(scheme: Scheme) -> None:
    parameters = inspect.signature(scheme.load()).parameters.values()
    by_position = [parameter.name for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]
    first = next(iter(parameters)).name
    assert by_position == ([first] if first in BY_POSITION else [])


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.name)
def test_parameters_are_well_described(scheme: Scheme) -> None:
    for parameter in scheme.parameters:
        assert parameter.summary
        assert (parameter.kind == "choice") == bool(parameter.choices), parameter.name
        if parameter.choices:
            assert parameter.default in parameter.choices
        if parameter.kind == "switch":
            assert isinstance(parameter.default, bool)
        if isinstance(parameter.search, Range):
            assert parameter.kind == "number" or (parameter.kind, parameter.search.scale) == ("integer", "whole")
            named, values = parameter.search.where or (parameter.name, (parameter.default,))
            other = next(other for other in scheme.parameters if other.name == named)
            assert not other.choices or set(values) & set(other.choices), parameter.name
        elif parameter.search is not None:
            assert set(parameter.search) <= set(parameter.choices), parameter.name


def test_every_public_name_exists() -> None:
    assert len(hornbeam.__all__) > 80
    for name in hornbeam.__all__:
        assert getattr(hornbeam, name) is not None
    assert set(hornbeam.__all__) <= set(dir(hornbeam))
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", hornbeam.__version__)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = hornbeam.no_such_name


def test_schemes_are_public() -> None:
    for scheme in SCHEMES:
        assert getattr(hornbeam, scheme.estimator) is scheme.load()


def test_every_kernel_is_built() -> None:
    folders = (SOURCE / "core" / "meson.build").read_text(encoding="utf-8")
    for path in sources(".pyx"):
        folder = path.parent.relative_to(SOURCE)
        listed = re.findall(r"'(\w+)',\n", (path.parent / "meson.build").read_text(encoding="utf-8"))
        assert listed == sorted(other.stem for other in path.parent.glob("*.pyx"))
        assert f"subdir('{folder.relative_to('core').as_posix()}')" in folders
        module = importlib.import_module(f"hornbeam.{'.'.join(folder.parts)}.{path.stem}")
        assert module.__file__ is not None
        assert not module.__file__.endswith(".py")
        if re.search(r"^(def|class|cdef class) ", path.read_text(encoding="utf-8"), re.MULTILINE):
            assert path.with_suffix(".pyi").exists(), f"{path.name} has no .pyi beside it"


def test_checks_are_turned_off_in_one_place_only() -> None:
    # A directive in a file would win over the build with every access checked (make check).
    for path in sources(".pyx", ".pxd", ".pxi"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"boundscheck|wraparound|initializedcheck", text), f"{path.name}: leave it to meson.build"


OUTSIDE = re.compile(r"HORNBEAM_SHARED|\.\./shared\b|\bshared_root\b|(?<![\w.])/work/")


def outside(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if OUTSIDE.search(line)]


def test_nothing_is_read_from_a_folder_outside_the_project() -> None:
    files = [ROOT / name for name in ("Makefile", ".ci/run", "pyproject.toml", "meson.build")]
    for folder in ("src", "tests", "benchmarks", "docs", "examples"):
        files += [
            path for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".md", ".R", ".java", ".js", ".sh"}
        ]
    found = {path.relative_to(ROOT).as_posix(): outside(path.read_text(encoding="utf-8")) for path in files}
    found.pop(Path(__file__).relative_to(ROOT).as_posix())
    assert len(found) > 100
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize("line", ["DATA ?= ../shared/data", "os.environ['HORNBEAM_SHARED']", "open('/work/data.csv')"])
def test_the_rule_about_outside_folders_can_fail(line: str) -> None:
    assert outside(line)


MOST_FILES = 25
MOST_LINES = 450
MOST_LINES_OF_FUNCTIONS = {".py": 60, ".pyx": 100, ".pxd": 100, ".pxi": 100}
MOST_PARAMETERS = 12
KEYWORDS_OF_READING = {"data/read.py: read"}  # public, as the estimators are: one per choice of the reader

KERNEL_FUNCTION = re.compile(
    r"^( *)(?:cdef|cpdef|def)\b(?! (?:enum|struct|class|extern|union))[^=\n(]*?\b(\w+)\(", re.MULTILINE
)


class Function(NamedTuple):
    name: str
    lines: int  # without its docstring
    parameters: int  # without self and cls


def python_functions(text: str) -> list[Function]:
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            count = sum(argument.arg not in {"self", "cls"} for argument in given)
            first = node.body[0]
            documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            off = (first.end_lineno or 0) - first.lineno + 1 if documented else 0
            found.append(Function(node.name, (node.end_lineno or 0) - node.lineno + 1 - off, count))
    return found


def kernel_functions(text: str) -> list[Function]:
    found = []
    for match in KERNEL_FUNCTION.finditer(text):
        depth, end = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        if not re.match(r"[^\n]*:[ \t]*(#.*)?$", text[end:].partition("\n")[0]):
            continue  # declared, not defined
        given = re.sub(r"#.*|\[[^\]]*\]|\([^()]*\)", "", text[match.end() : end - 1])
        names = [part.split("=")[0].strip() for part in given.split(",")]
        body = text[text.index("\n", end) + 1 :]
        indented = re.match(rf"(?:{match[1]} +.*\n|[ \t]*\n)*", body)
        assert indented
        written = re.sub(r'^\s*[rR]?"""(?:.|\n)*?"""\n', "", indented[0]).rstrip()
        lines = text[match.start() : end].count("\n") + 1 + (written.count("\n") + 1 if written else 0)
        found.append(Function(match[2], lines, sum(name not in {"", "self", "*", "/"} for name in names)))
    return found


def functions_of(path: Path) -> list[Function]:
    text = path.read_text(encoding="utf-8")
    return python_functions(text) if path.suffix == ".py" else kernel_functions(text)


def too_long_or_wide() -> tuple[set[str], set[str]]:
    long, wide = set(), set()
    for path in sources(*MOST_LINES_OF_FUNCTIONS):
        place = path.relative_to(SOURCE).as_posix()
        for function in functions_of(path):
            if place in estimator_files() and function.name == "__init__":
                continue  # as many parameters as the scheme has
            if function.lines > MOST_LINES_OF_FUNCTIONS[path.suffix]:
                long.add(f"{place}: {function.name}")
            if function.parameters > MOST_PARAMETERS and not place.startswith("cli/"):  # there, one per option
                wide.add(f"{place}: {function.name}")
    return long, wide


def test_files_hold_one_idea() -> None:
    files = sources(".py", ".pyx", ".pxd", ".pxi", ".h", ".cu", ".cuh")
    lines = {path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8").count("\n") for path in files}
    assert {place for place, count in lines.items() if count > MOST_LINES} == set()


def test_folders_hold_few_files() -> None:
    files = sources(".py", ".pyx", ".pxd", ".pxi", ".pyi", ".h", ".js", ".css")
    counts = Counter(path.parent.relative_to(SOURCE).as_posix() for path in files)
    assert {place for place, count in counts.items() if count > MOST_FILES} == set()


def test_a_folder_lists_its_modules() -> None:
    for folder in {path.parent for path in sources(".py", ".pyx")}:
        listed = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
        modules = {path.stem for path in folder.iterdir() if path.suffix in {".py", ".pyx"}}
        modules |= {path.parent.name for path in folder.glob("*/__init__.py")}
        missing = {name for name in modules - {"__init__", "__main__"} if not re.search(rf"\b{name}\b", listed)}
        assert not missing, f"{folder.relative_to(SOURCE)}/__init__.py does not list {', '.join(sorted(missing))}"


def test_functions_are_short_and_take_few_parameters() -> None:
    assert too_long_or_wide() == (set(), KEYWORDS_OF_READING)


def test_the_rule_about_functions_can_fail() -> None:
    python = 'def f(self, a, *, b):\n    """Say.\n\n    More.\n    """\n    x = 1\n    return x\n'
    assert python_functions(python) == [Function("f", 3, 2)]
    kernel = "cdef int f(\n    const int[:, ::1] a, int b=0,  # c, d\n) noexcept nogil:\n"
    kernel += '    """Say."""\n    return a\n\ncdef int g(int a)\n'
    assert kernel_functions(kernel) == [Function("f", 4, 2)]


def test_folders_have_no_drawer_for_everything() -> None:
    assert not [path for path in sources(".py", ".pyx") if path.stem in {"utils", "util", "helpers", "common", "misc"}]
