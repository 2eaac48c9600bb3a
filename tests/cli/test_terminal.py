"""Text from files and models on a terminal, which obeys escape sequences: none gets there, and no figure changes."""

from __future__ import annotations

import os
import pty
import re
import sys
import threading
import tty
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import hornbeam
from hornbeam.cli.main import run
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.data.write import write

if TYPE_CHECKING:
    from pathlib import Path

# A title set, the screen cleared, a color in one byte, a bell, text turned around, an invisible joiner.
HOSTILE = "\x1b]0;evil\x07", "\x1b[2J", "\x9b31m", "\x07", "\u202e", "\u200d"
FORBIDDEN = re.compile("\x1b\\]|\x1b\\[2J|\x9b|\x07|\u202e|\u200d")


class Terminal:
    """A pseudo-terminal in place of both streams; what was written to it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.patch = monkeypatch

    def __call__(self, *arguments: object) -> tuple[int, str]:
        master, slave = pty.openpty()
        tty.setraw(slave)
        found = bytearray()

        def drain() -> None:
            while True:
                try:
                    part = os.read(master, 1 << 16)
                except OSError:  # the other end is closed
                    return
                if not part:
                    return
                found.extend(part)

        reader = threading.Thread(target=drain)
        reader.start()
        with open(slave, "w", encoding="utf-8") as stream, self.patch.context() as patch:  # noqa: PTH123 - a descriptor
            patch.setattr(sys, "stdout", stream)
            patch.setattr(sys, "stderr", stream)
            assert sys.stdout.isatty()
            code = run([str(argument) for argument in arguments])
            stream.flush()
        reader.join()
        os.close(master)
        return code, found.decode()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("COLUMNS", "100")
    return Terminal(monkeypatch)


def table(*, numbers: bool) -> Table:
    """Names of columns, categories, classes and of the table itself are hostile."""
    rng = np.random.default_rng(2)
    n_rows = 90
    first, second = rng.integers(0, 6, n_rows).astype(np.int32), rng.normal(size=n_rows)
    signal = (first > 2) + second
    columns: list[Any] = [
        Nominal(f"category{HOSTILE[0]}", tuple(f"v{i}{text}" for i, text in enumerate(HOSTILE))),
        Numeric(f"number{HOSTILE[1]}"),
        Numeric(f"other{HOSTILE[2]}{HOSTILE[4]}"),
    ]
    arrays: list[Any] = [first, second, rng.normal(size=n_rows)]
    if numbers:
        columns.append(Numeric(f"target{''.join(HOSTILE)}"))
        arrays.append(signal)
    else:
        columns.append(Nominal(f"target{''.join(HOSTILE)}", (f"no{HOSTILE[0]}{HOSTILE[5]}", f"yes{HOSTILE[2]}")))
        arrays.append((signal > 0.5).astype(np.int32))
    return Table(Schema(tuple(columns), ("feature",) * 3 + ("target",), f"table{HOSTILE[0]}"), arrays)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables and models of them, with hostile names of files too."""
    place = tmp_path_factory.mktemp("hostile")
    for numbers in (False, True):
        one = table(numbers=numbers)
        name = "numbers" if numbers else f"classes{HOSTILE[1]}{HOSTILE[4]}"
        write(one, place / f"{name}.parquet")
        learner = hornbeam.CartRegressor(folds=0) if numbers else hornbeam.C45Classifier(keep_trace=True)
        learner.fit(one).save(place / f"{name}.model")
        if not numbers:
            hornbeam.RipperClassifier().fit(one).save(place / "rules.model")
            hornbeam.RandomForestClassifier(3, random_state=1).fit(one).save(place / "forest.model")
            hornbeam.NeighborsClassifier().fit(one).save(place / "neighbors.model")
            hornbeam.SVMClassifier().fit(one).save(place / "svm.model")
            hornbeam.KMeans(3, random_state=1).fit(one).save(place / "clusters.model")
        else:
            hornbeam.M5Regressor().fit(one).save(place / "m5.model")
            hornbeam.LinearRegressor().fit(one).save(place / "linear.model")
    (place / "wrong.csv").write_text(f"a,b\n1,2\n{HOSTILE[0]},{HOSTILE[1]},3\n", encoding="utf-8")
    return place


DATA, TREE = f"classes{HOSTILE[1]}{HOSTILE[4]}.parquet", f"classes{HOSTILE[1]}{HOSTILE[4]}.model"
SCHEMES = "ripper", "part", "prism", "exceptions", "one-r", "svm"
OTHERS = ("rules", "forest", "neighbors", "svm", "clusters", "numbers", "m5", "linear")
MODELS = TREE, *(f"{name}.model" for name in OTHERS)
COMMANDS: list[tuple[str, ...]] = [
    ("data", DATA),
    ("data", "numbers.parquet"),
    ("audit", TREE, DATA),
    *(("learn", DATA, "--cv", "3", *more) for more in ((), ("--why",), ("--p-values",), ("--test", DATA), ("--json",))),
    *(("learn", DATA, "--cv", "0", "-s", scheme) for scheme in SCHEMES),
    *(("learn", DATA, "--cv", "0", "--style", style) for style in ("ascii", "weka", "rpart")),
    *(("learn", DATA, "--cv", "0", "-s", "ripper", "--style", style) for style in ("if-then", "table", "weka")),
    ("learn", DATA, "--cv", "0", "-t", f"target{''.join(HOSTILE)}", "--save", f"saved{HOSTILE[2]}.model"),
    ("learn", DATA, "--cv", "2", "--tune", "--tune-folds", "2"),
    ("learn", DATA, "--coverage", "0.9", "--cv", "0"),
    ("learn", DATA, "--stability", "5", "--cv", "0"),
    *(("learn", "numbers.parquet", "--cv", "0", "-s", scheme) for scheme in ("cart", "m5", "m5-rules", "linear")),
    ("predict", TREE, DATA),
    ("predict", TREE, DATA, "--proba"),
    ("predict", TREE, DATA, "--json"),
    ("predict", "numbers.model", "numbers.parquet"),
    ("predict", "clusters.model", DATA),
    *(("predict", model, DATA, "--explain", "3") for model in (TREE, "rules.model", "neighbors.model")),
    *(("predict", model, "numbers.parquet", "--explain", "3") for model in ("numbers.model", "m5.model")),
    *(("show", model) for model in MODELS),
    *(("show", model, "--json") for model in MODELS if model not in ("neighbors.model", "svm.model")),
    *(("show", TREE, "--to", way) for way in ("svg", "javascript")),
    ("show", TREE, "--why"),
    ("show", "rules.model", "--to", "rules", "--data", DATA),
    ("show", "clusters.model", "--style", "describe"),
    ("compare", DATA, "--schemes", "c45,one-r", "--cv", "2"),
    ("compare", DATA, "--schemes", "c45,one-r", "--cv", "2", "--markdown"),
    ("compare", DATA, "--schemes", "c45,one-r", "--cv", "2", "--order", f"number{HOSTILE[1]}"),
    ("diff", TREE, "rules.model", "--data", DATA),
    ("diff", TREE, "rules.model", "--data", DATA, "--markdown"),
    *(("curve", DATA, "--of", of, "--cv", "2") for of in ("rows", "roc", "confusion", "lift", "calibration")),
    ("curve", DATA, "--of", "rows", "--cv", "2", "--order", f"number{HOSTILE[1]}"),
    ("curve", "numbers.parquet", "--of", "residuals", "--cv", "2"),
    *(("cluster", DATA, "-s", scheme, "-k", "3") for scheme in ("k-means", "em", "hierarchical")),
    ("cluster", DATA, "-s", "cobweb"),
    ("cluster", DATA, "-k", "3", "--explain", "tree"),
    ("cluster", DATA, "-k", "3", "-t", f"target{''.join(HOSTILE)}"),
    ("report", DATA, "--schemes", "c45,one-r", "--cv", "2", "-o", f"report{HOSTILE[1]}.html"),
    *(("report", DATA, "--schemes", "c45,one-r", "--cv", "2", form) for form in ("--markdown", "--json")),
]
WRONG: list[tuple[str, ...]] = [
    ("data", "wrong.csv"),
    ("data", f"none{HOSTILE[0]}.csv"),
    ("learn", DATA, "-t", f"none{HOSTILE[0]}"),
    ("learn", DATA, "--nominal", f"none{HOSTILE[2]}"),
    ("learn", DATA, f"--none{HOSTILE[0]}"),
    ("learn", DATA, "-s", f"none{HOSTILE[0]}"),
    (f"none{HOSTILE[0]}",),
    ("predict", TREE, "numbers.parquet", "--proba", "--explain", "1000"),
    ("predict", "numbers.model", "numbers.parquet", "--proba"),
    ("show", "wrong.csv"),
    ("curve", DATA, "--of", f"none{HOSTILE[0]}"),
    ("curve", DATA, "--of", "roc", "--class", f"none{HOSTILE[0]}"),
    ("curve", DATA, "--of", "rows", "--order", f"category{HOSTILE[0]}"),
]


def name_of(arguments: tuple[str, ...]) -> str:
    return " ".join(re.sub(r"[^\w.,-]", "", argument) for argument in arguments)


@pytest.mark.parametrize("arguments", COMMANDS, ids=map(name_of, COMMANDS))
def test_no_name_gets_to_the_terminal_as_it_is(
    terminal: Terminal, folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(folder)
    code, shown = terminal(*arguments)
    assert code == 0, shown
    assert not FORBIDDEN.search(shown)


@pytest.mark.parametrize("arguments", WRONG, ids=map(name_of, WRONG))
def test_nor_in_a_complaint(
    terminal: Terminal, folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(folder)
    code, shown = terminal(*arguments)
    assert code == 2, shown
    assert not FORBIDDEN.search(shown)


def test_predictions_are_counted_before_names_are_made_printable(
    terminal: Terminal, command: Any, tmp_path: Path
) -> None:
    words = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0646\u0647"  # a word with a joiner, and one without
    rows = [f"{'a' if row % 3 else 'b'},{words[row % 3 == 0]}" for row in range(100)]
    path = tmp_path / "words.csv"
    path.write_text("x,y\n" + "\n".join(rows) + "\n", encoding="utf-8")
    model = tmp_path / "words.model"
    assert command("learn", path, "--cv", 0, "--save", model).code == 0
    piped = command("predict", model, path)
    assert "100 of 100 rows right, 100.0%" in piped.err
    assert words[0] in piped.out  # a file keeps what it was given
    code, shown = terminal("predict", model, path)
    assert code == 0
    assert "100 of 100 rows right, 100.0%" in shown
    assert "\u200c" not in shown
