"""Help: commands in groups, examples that run, hints for what was mistyped, and only options that exist."""

from __future__ import annotations

import ast
import re
import shlex
import socket
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import pytest

import hornbeam
from hornbeam.cli.main import COMMANDS, GROUPS, OTHER_NAMES, app
from hornbeam.cli.options import Command
from hornbeam.cli.scheme_options import OTHER_NAMES as OTHER_OPTIONS
from hornbeam.cli.scheme_options import PREFIX, offered
from hornbeam.cli.shell.examples import EXAMPLES, START
from hornbeam.schemes import ALL_SCHEMES

ROOT = Path(__file__).resolve().parents[2]
CONTEXT = click.Context(app, info_name="hornbeam")


def command_of(name: str) -> click.Command:
    found = app.get_command(CONTEXT, name)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def loans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the examples name."""
    place = tmp_path_factory.mktemp("loans")
    rows = [
        f"{i},{1000 + i * 37 % 900},{'rent' if i % 3 else 'own'},{'' if i % 7 == 0 else i * 13 % 50},"
        f"{'yes' if (i * 37 % 900) > 450 and i % 3 else 'no'}"
        for i in range(120)
    ]
    head = "id,amount,home,years,default"
    (place / "loans.csv").write_text("\n".join([head, *rows]), encoding="utf-8")
    (place / "new.csv").write_text("\n".join([head, *rows[:30]]), encoding="utf-8")
    table = hornbeam.read(place / "loans.csv", target="default", ignore=["id"])
    hornbeam.C45Classifier().fit(table).save(place / "loans.hornbeam")
    hornbeam.C45Classifier(confidence=0.05).fit(table.take(range(80))).save(place / "old.hornbeam")
    (place / "trees.pmml").write_text(hornbeam.export.pmml(hornbeam.CartClassifier().fit(table)), encoding="utf-8")
    (place / "trees.onnx").write_bytes(graph())
    return place


def graph() -> bytes:
    """A tree of three nodes in an ONNX graph."""
    helper = pytest.importorskip("onnx").helper
    node = helper.make_node(
        "TreeEnsembleRegressor", ["years"], ["default"], domain="ai.onnx.ml", n_targets=1, nodes_treeids=[0] * 3,
        nodes_nodeids=[0, 1, 2], nodes_featureids=[0] * 3, nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"],
        nodes_values=[2.5, 0.0, 0.0], nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0], target_treeids=[0, 0],
        target_nodeids=[1, 2], target_ids=[0, 0], target_weights=[0.0, 1.0],
    )  # fmt: skip
    value = helper.make_tensor_value_info
    made = helper.make_graph([node], "g", [value("years", 1, [None, 1])], [value("default", 1, [None, 1])])
    return helper.make_model(made).SerializeToString()


ALL_EXAMPLES = [("", *one) for one in START] + [(name, *one) for name, many in EXAMPLES.items() for one in many]


@pytest.mark.parametrize(("of", "typed", "what"), ALL_EXAMPLES, ids=[typed for _, typed, _ in ALL_EXAMPLES])
def test_every_example_runs(
    good: Any, loans: Path, monkeypatch: pytest.MonkeyPatch, of: str, typed: str, what: str
) -> None:
    monkeypatch.chdir(loans)
    shown = good(*([of] if of else []), "--help").out
    assert typed in shown
    assert what in shown
    program, *words = shlex.split(typed.partition(" > ")[0])
    assert program == "hornbeam"
    if of == "serve":  # it would run until it is interrupted; tests/web does that
        uvicorn = pytest.importorskip("uvicorn")
        monkeypatch.setattr(uvicorn.Config, "bind_socket", lambda _: socket.create_server(("127.0.0.1", 0)))
        monkeypatch.setattr(uvicorn.Server, "run", lambda _, sockets: sockets[0].close())
    good(*words)


def test_every_command_has_examples_and_the_options_of_all() -> None:
    assert set(EXAMPLES) == set(COMMANDS)
    for name in COMMANDS:
        assert 2 <= len(EXAMPLES[name]) <= 3
        assert isinstance(command_of(name), Command)


def test_help_starts_with_examples(good: Any) -> None:
    for name in COMMANDS:
        lines = good(name, "--help").out.splitlines()
        assert lines[0].startswith(f"Usage: hornbeam {name}")
        assert lines[2] == "Examples:"
        assert any("-q, --quiet" in line for line in lines)


def test_help_is_in_groups_in_order_of_use(good: Any) -> None:
    shown = good("--help").out
    places = [shown.index(f"\n{title}:\n") for title in ("Examples", *GROUPS, "Options")]
    assert all(a < b for a, b in pairwise(places))
    for name in COMMANDS:
        assert re.search(rf"^  {name} +[A-Z]", shown, re.MULTILINE)


def test_examples_fit_a_narrow_terminal(good: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    shown = good("learn", "--help").out
    assert "  # a decision tree for an example set\n  hornbeam learn iris\n" in shown


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        (("lern",), "there is no command 'lern'; did you mean learn?"),
        (("Learn",), "did you mean learn?"),
        (("tune", "iris"), "use hornbeam learn --tune"),
        (("train",), "use hornbeam learn"),
        (("xyzzy",), "hornbeam --help lists the commands"),
        (("learn", "iris", "--targt", "x"), "hornbeam learn has no option --targt; did you mean --target? See:"),
        (("learn", "iris", "--max-depht", "3"), "has no option --max-depht; did you mean --max-depth (schemes "),
        (("learn", "iris", "--Scheme", "x"), "did you mean --scheme?"),
        (("predict", "--explian", "1"), "hornbeam predict has no option --explian; did you mean --explain?"),
        (("learn", "iris", "-s", "randomforest"), "no scheme is called 'randomforest'; did you mean 'forest'?"),
        (("learn", "iris", "-s", "RandomForestClassifier"), "did you mean 'forest'?"),
        (("learn", "iris", "-s", "xgboost"), "did you mean 'boosting'?"),
        (("learn", "iris", "-s", "J48"), "did you mean 'c45'?"),
        (("learn", "iris", "-s", "riper"), "did you mean 'ripper'"),
        (("schemes", "knn"), "did you mean 'neighbors'?"),
        (("cluster", "iris", "-s", "kmeans"), "did you mean 'k-means'?"),
        (("learn", "iris", "-t", "Class"), "no column is called 'Class'; did you mean 'class'?"),
        (("learn", "iris", "-t", "petal_width"), "did you mean 'petalwidth'?"),
        (("learn", "iris", "--ignore", "petalwith"), "did you mean 'petalwidth'"),
        (("learn", "iris", "--folds", "x"), "'x' is not a whole number"),
    ],
)
def test_what_was_meant(bad: Any, typed: tuple[str, ...], hint: str) -> None:
    told = bad(*typed).err
    assert hint in told
    assert "?." not in told
    assert ".." not in told


def test_other_names_of_commands_lead_to_commands() -> None:
    for name, meant in OTHER_NAMES.items():
        assert name not in COMMANDS
        first = meant.split()[0].rstrip(",")
        assert first in COMMANDS or first in ("--help", "--version")


def test_at_most_ten_names_are_listed(bad: Any, tmp_path: Path) -> None:
    names = [f"column{i}" for i in range(2_000)]
    (tmp_path / "wide.csv").write_text(",".join([*names, "label"]) + "\n" + ",".join(["1"] * 2_001), encoding="utf-8")
    told = bad("learn", tmp_path / "wide.csv", "-t", "xyzzy").err
    assert len(told) < 400
    assert "and 1991 more" in told
    assert "did you mean 'label'?" in bad("learn", tmp_path / "wide.csv", "-t", "lable").err
    assert len(bad("learn", "iris", "-s", "xyzzy").err) < 300


def test_one_row_is_in_the_singular(bad: Any, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("x,y\n1,a\n2,\n3,\n", encoding="utf-8")
    assert "there are 1" not in bad("learn", tmp_path / "one.csv", "-t", "y").err


# --- options that are named exist ---

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z](?![\w-])")
# An option of examples/*.py, and names that are typed by mistake and answered with the right one.
OTHERS = {"--pictures", "--edition", "--headless", "--convert-to", "--outdir", *OTHER_OPTIONS}
OTHERS |= {"--no-warnings", "--print"}  # of node and rustc, which judge exported programs
OTHER_PROGRAMS = re.compile(r"\b(pip|make|apt|git|node|python -m (build|benchmarks))\b")


def options_of_the_parser() -> set[str]:
    known = {"--help", "--version"}
    for name in COMMANDS:
        command = command_of(name)
        for option in command.params:
            known |= {*option.opts, *option.secondary_opts}
    for scheme in ALL_SCHEMES:
        for parameter, _ in offered(scheme.name):
            flag = str(parameter.option)
            known |= {flag, f"--{scheme.name}-{flag[2:]}"}
            known |= {f"--no-{flag[2:]}"} if parameter.kind == "switch" else set()
    return known


def texts_of(path: Path) -> list[str]:
    """String literals of a module that are not docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    literals = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return [str(node.value) for node in literals if id(node) not in docs]


def test_every_option_named_in_a_message_exists() -> None:
    known, wrong, seen = options_of_the_parser(), {}, 0
    for path in sorted((ROOT / "src").rglob("*.py")):
        for text in texts_of(path):
            named = set(OPTION.findall(text))
            seen += len(named)
            missing = named - known - OTHERS
            if missing and not any(word in text for word in ("var(--", "<style", "{--")):
                wrong.setdefault(str(path.relative_to(ROOT)), set()).update(missing)
    assert seen > 200
    assert not wrong


def test_every_option_named_in_the_documentation_exists() -> None:
    known, wrong, seen = options_of_the_parser(), {}, 0
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        lines = [line for line in text.splitlines() if not OTHER_PROGRAMS.search(line)]
        named = {option for line in lines for option in OPTION.findall(line)}
        seen += len(named)
        missing = named - known - OTHERS
        if missing:
            wrong[str(path.relative_to(ROOT))] = missing
    assert seen > 100
    assert not wrong


def test_an_option_that_does_not_exist_would_be_found() -> None:
    assert OPTION.findall("header: none; --header to change, not a--b or --x") == ["--header"]
    assert "--heading" not in options_of_the_parser()
    assert "--target" in options_of_the_parser()
    assert not any(option.startswith(f"--{PREFIX}") for option in options_of_the_parser())


def test_the_documentation_lists_every_command() -> None:
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    assert {name for name in COMMANDS if f"| `hornbeam {name}" not in page} == set()
