"""No output floods a terminal: models, tables and notes are cut, trees fit the width, and --all prints everything."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import hornbeam
from hornbeam.data.in_words import width

if TYPE_CHECKING:
    from pathlib import Path

LEFT_OUT = re.compile(r"^… (\d+) more (\w+); --all to print them", re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables from which long models are learned."""
    place = tmp_path_factory.mktemp("long")
    rng = np.random.default_rng(3)
    features = rng.normal(size=(900, 5)).round(3)
    signal = np.sin(5 * features[:, 0]) + features[:, 1] * features[:, 2] + rng.normal(size=900)
    kind = (signal > 0).astype(int).tolist()
    lines = [",".join(map(str, row)) for row in features.tolist()]
    head = ",".join(f"a column with the long name {i}" for i in range(5))
    classes = [f"{line},class {one}" for line, one in zip(lines, kind, strict=True)]
    (place / "classes.csv").write_text("\n".join([f"{head},kind", *classes]), encoding="utf-8")
    target = features[:, 0] * features[:, 1] + np.sin(4 * features[:, 2]) + rng.normal(size=900) / 9
    numbers = [f"{line},{one:.4f}" for line, one in zip(lines, target, strict=True)]
    (place / "numbers.csv").write_text("\n".join([f"{head},y", *numbers]), encoding="utf-8")
    many = [f"v{i % 400},{'ab'[i % 400 % 2]}" for i in range(1_200)]
    (place / "many.csv").write_text("\n".join(["code,kind", *many]), encoding="utf-8")
    rows = [",".join(["1", "2"][row % 2] for _ in range(2_000)) for row in range(4)]
    wide = [",".join(f"w{i}" for i in range(2_000)), *rows]
    (place / "wide.csv").write_text("\n".join(wide), encoding="utf-8")
    return place


LONG = [
    ("classes.csv", "tree"),
    ("classes.csv", "tree", "--style", "weka"),
    ("classes.csv", "tree", "--style", "rpart"),
    ("classes.csv", "tree", "--style", "ascii"),
    ("classes.csv", "cart", "--cp", "0", "--choose", "cp", "--min-samples-leaf", "1"),
    ("classes.csv", "prism"),
    ("numbers.csv", "m5", "--prune", "none"),
    ("numbers.csv", "m5", "--style", "weka", "--prune", "none"),
    ("many.csv", "id3"),
]


@pytest.mark.parametrize(("data", "scheme", "options"), [(d, s, o) for d, s, *o in LONG])
def test_learn_prints_fewer_than_200_lines(
    good: Any, folder: Path, tmp_path: Path, data: str, scheme: str, options: list[str]
) -> None:
    style = options[:2] if "--style" in options else []
    learned = good("learn", folder / data, "-s", scheme, *options, "--cv", "2", "--save", tmp_path / "model")
    whole = good("show", tmp_path / "model", *style, "--all").out
    assert len(whole.splitlines()) > 110
    assert len(learned.out.splitlines()) < 200
    assert "to print them" in learned.out
    shown = good("show", tmp_path / "model", *style).out
    assert len(shown.splitlines()) <= 101
    assert "--all to print them" in shown
    assert "--save" not in shown  # it is saved already
    assert whole.splitlines()[-1] in shown or scheme == "m5"  # what sums the model up stays
    model = hornbeam.load(tmp_path / "model")
    given = {"style": style[1]} if style else {}
    assert whole.splitlines()[0].split() == hornbeam.show.text(model, **given).splitlines()[0].split()
    everything = good("learn", folder / data, "-s", scheme, *options, "--cv", "0", "--all").out
    assert "to print them" not in everything
    assert len(everything.splitlines()) > len(whole.splitlines())


def test_reasons_of_a_small_tree_are_whole_and_of_a_large_one_cut(good: Any, folder: Path) -> None:
    assert "to print them" not in good("learn", "weather.nominal", "--why", "--cv", "0").out
    long = good("learn", folder / "classes.csv", "--why", "--cv", "2").out
    assert len(long.splitlines()) < 200
    assert "--all to print them" in long


def test_what_is_left_out_is_counted(good: Any, folder: Path, tmp_path: Path) -> None:
    learned = good("learn", folder / "classes.csv", "-s", "tree", "--cv", "0").out
    size = int(re.search(r"size (\d+)", learned)[1])
    count, word = LEFT_OUT.search(learned).groups()
    drawn = [line for line in learned.splitlines() if re.match(r"[│ ]*[├└]─ ", line)]
    assert word == "nodes"
    assert int(count) + len(drawn) + 1 == size  # the root has no line of its own
    assert "--save to keep the model" in learned
    good("learn", folder / "classes.csv", "-s", "tree", "--cv", "0", "--save", tmp_path / "model")
    with_depth = good("show", tmp_path / "model", "--max-depth", "1").out
    assert not LEFT_OUT.search(with_depth)  # as it was asked for


def test_the_heaviest_branches_are_drawn(folder: Path) -> None:
    tree = hornbeam.TreeClassifier().fit(hornbeam.read(folder / "classes.csv", target="kind"))
    text = hornbeam.show.text(tree, room=hornbeam.show.Room(lines=30))
    weights = [float(weight) for weight in re.findall(r"\(\d+ leaves\) +([\d.]+)", text)]
    leaves = int(re.search(r"(\d+) leaves, size", text)[1])
    assert len(text.splitlines()) <= 30
    assert sum(int(count) for count in re.findall(r"\((\d+) leaves\)", text)) < leaves
    model = tree.model_
    inner = model.weight[model.n_children > 0]
    assert max(weights) < np.sort(inner)[::-1][10]  # what is closed is lighter than the first that were opened


@pytest.mark.parametrize("columns", [60, 72, 100, 150])
def test_trees_fit_the_width(good: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    learned = good("learn", folder / "classes.csv", "-s", "tree", "--cv", "0", "--all").out
    tree = learned[learned.index("\n\n") : learned.index("leaves, size")].splitlines()
    assert max(map(width, tree)) <= columns
    assert len(tree) > 150


def test_a_pipe_is_100_columns_wide(good: Any, folder: Path) -> None:
    learned = good("learn", folder / "classes.csv", "-s", "tree", "--cv", "0", "--all").out
    tree = [line for line in learned.splitlines() if re.match(r"[│ ]*[├└]─ ", line)]
    assert 90 < max(map(width, tree)) <= 100


def test_wide_characters_stay_aligned(good: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    rows = [f"{i * i},{'長い名前のカテゴリ' if i % 2 else '短い'},{'はい' if i > 30 else 'いいえ'}" for i in range(60)]
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(["とても長い列の名前がここにあります,種類,目的", *rows]), encoding="utf-8")
    out = good("learn", path, "--cv", "0").out
    lines = [line for line in out.splitlines() if re.match(r"[├└]─ ", line)]
    assert len(lines) == 2
    assert max(map(width, lines)) <= 60
    assert len({width(re.split("はい|いいえ", line)[0]) for line in lines}) == 1


def test_a_wide_table_is_cut(good: Any, folder: Path) -> None:
    shown = good("data", folder / "wide.csv")
    assert len(shown.out.splitlines()) < 110
    assert "… 1900 more columns; --all to print them" in shown.out
    assert len(shown.err.splitlines()) < 40
    assert "more notes; --verbose to print them" in shown.err or "more warnings; --verbose" in shown.err
    whole = good("data", folder / "wide.csv", "--all", "--verbose")
    assert len(whole.out.splitlines()) == 2_002
    assert "to print them" not in whole.out + whole.err


def test_files_have_everything(good: Any, folder: Path, tmp_path: Path) -> None:
    good("learn", folder / "classes.csv", "-s", "tree", "--cv", "0", "--save", tmp_path / "model")
    good("show", tmp_path / "model", "-o", tmp_path / "tree.txt")
    written = (tmp_path / "tree.txt").read_text(encoding="utf-8")
    assert written == hornbeam.show.text(hornbeam.load(tmp_path / "model")) + "\n"
    plain = good("learn", folder / "classes.csv", "-s", "tree", "--cv", "0", "--json").json
    assert plain["text"] + "\n" == written


def test_a_file_of_another_kind_is_refused(bad: Any, good: Any, tmp_path: Path) -> None:
    good("learn", "iris", "--cv", "0", "--save", tmp_path / "model")
    for name in ("tree.png", "tree.pdf", "tree.html", "tree"):
        told = bad("show", tmp_path / "model", "-o", tmp_path / name).err
        assert ".svg (svg)" in told
        assert ".sql (sql)" in told
        assert ".txt (text)" in told
        assert not (tmp_path / name).exists()
    assert (
        "--to svg is written to .svg, not to .png"
        in bad("show", tmp_path / "model", "--to", "svg", "-o", tmp_path / "tree.png").err
    )


MISSING_FOLDER = [
    ("learn", "no-such-table.csv", "--save"),
    ("cluster", "no-such-table.csv", "--save"),
    ("report", "no-such-table.csv", "-o"),
    ("predict", "no-such-model", "iris", "-o"),
    ("show", "no-such-model", "-o"),
    ("export", "no-such-model", "-o"),
    ("curve", "no-such-table.csv", "--of", "rows", "--save-picture"),
    ("compare", "no-such-table.csv", "--save-picture"),
]


@pytest.mark.parametrize("arguments", MISSING_FOLDER, ids=[name for name, *_ in MISSING_FOLDER])
def test_a_missing_folder_is_named_before_the_work(bad: Any, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    told = bad(*arguments, tmp_path / "absent" / "out.svg").err
    assert f"there is no folder {tmp_path / 'absent'}" in told
    assert "no-such" not in told
    assert ".part" not in told
