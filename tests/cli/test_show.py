"""`hornbeam show`: text, pictures, JSON; to the terminal and to files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from show.planting import Fork, Leaf, Other, plant

import hornbeam
from hornbeam.cli.options import THEMES
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.model.files.storage import save
from hornbeam.model.trees.split import CUTS
from hornbeam.show.pictures.themes import CHOICES

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.model.trees.tree import Tree


def petals() -> Tree:
    names = ("sepallength", "sepalwidth", "petallength", "petalwidth")
    kinds = (*map(Numeric, names), Nominal("class", ("Iris-setosa", "Iris-versicolor", "Iris-virginica")))
    schema = Schema(kinds, ("feature",) * 4 + ("target",), "iris")
    wide = Fork(3, CUTS, [1.75], [Leaf([0, 49, 5]), Leaf([0, 1, 45])], equal_low=False)
    others = [Other(3, CUTS, [0.8], score=0.9)]
    return plant(
        schema, Fork(2, CUTS, [2.45], [Leaf([50, 0, 0]), wide], equal_low=False, score=1.0, alternatives=others)
    )


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "petals.hornbeam"
    save(petals(), path)
    return path


def test_every_style_can_be_asked_for(good: Any, model: Path) -> None:
    assert good("show", model, "--style", "rpart").out.startswith("n= 150 \n\nnode), split, n, loss, yval, (yprob)\n")
    assert good("show", model, "--style", "weka").out.startswith("petallength < 2.45: Iris-setosa (50.0)\n")
    assert "(2 leaves)" in good("show", model, "--max-depth", 1).out


def test_a_picture_goes_to_the_terminal_or_a_file(good: Any, model: Path, tmp_path: Path) -> None:
    printed = good("show", model, "--to", "svg").out
    assert printed == hornbeam.show.svg(petals()) + "\n"
    path = tmp_path / "tree.svg"
    outcome = good("show", model, "-o", path)
    assert outcome.out == ""
    assert path.read_text(encoding="utf-8") == printed
    good("show", model, "--to", "svg", "--max-depth", 1, "-o", path)
    assert "… 2 more leaves" in path.read_text(encoding="utf-8")


def test_json_by_either_name(good: Any, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    good("show", model, "-o", path)
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written == good("show", model, "--json").json == good("show", model, "--to", "json").json
    assert written["tree"]["alternatives"][0]["gap"] == pytest.approx(0.1)


def test_text_can_go_to_a_file(good: Any, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "tree.txt"
    good("show", model, "-o", path)
    assert path.read_text(encoding="utf-8") == hornbeam.show.text(petals()) + "\n"


def test_runner_up_splits_are_told_without_a_trace(good: Any, model: Path) -> None:
    assert "petalwidth <= 0.8  score 0.9000, gap 0.1000" in good("show", model, "--why").out


def test_the_plane_of_two_columns(good: Any, bad: Any, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "plane.png"
    good("show", model, "--to", "space", "--data", "iris", "-o", path)
    assert path.read_bytes().startswith(b"\x89PNG")
    good("show", model, "--to", "space", "--columns", "petalwidth", "petallength", "-o", tmp_path / "plane.svg")
    assert "petalwidth" in (tmp_path / "plane.svg").read_text(encoding="utf-8")
    assert "name its file with -o FILE.png" in bad("show", model, "--to", "space").err
    other = bad("show", model, "--to", "space", "--columns", "petalwidth", "sepalwidth", "-o", path)
    assert "also splits on 'petallength'" in other.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--to", "svg", "--style", "ascii"), "--style cannot be used with --to svg"),
        (("--to", "json", "--max-depth", "0"), "--max-depth cannot be used with --to json"),
        (("--columns", "petallength", "petalwidth"), "--columns needs --to space or regions"),
        (("--to", "text", "--columns", "petallength,petalwidth"), "--columns cannot be used with --to text"),
        (("--columns", "petallength,petallength"), "--columns names 'petallength' twice; expected two columns"),
        (("--columns", "petallength", "petallength"), "--columns names 'petallength' twice; expected two columns"),
        (("--columns", "-o", "x.svg"), "--columns needs two columns, such as --columns width,height; found nothing"),
        (("--columns", "petallength", "petalwidth", "-o", "x.svg"), "--columns needs --to space or regions"),
        (("--data", "iris"), "--data needs --to svg, space, regions, rules, map or parallel"),
        (("--to", "svg", "--why"), "--why cannot be used with --to svg"),
        (("--to", "svg", "--json"), "--json and --to svg were given"),
        (("--to", "picture"), "'picture' is not one of"),
    ],
)
def test_options_that_do_not_fit_are_named(bad: Any, model: Path, arguments: tuple[str, ...], message: str) -> None:
    assert message in bad("show", model, *arguments).err


def test_a_file_that_cannot_be_written_leaves_nothing(bad: Any, model: Path, tmp_path: Path) -> None:
    assert "there is no folder" in bad("show", model, "-o", tmp_path / "nowhere" / "tree.svg").err
    before = (tmp_path / "tree.svg", tmp_path / "plane.xyz")
    assert (
        "--to space is written to .svg or .png or .pdf, not to .xyz"
        in bad("show", model, "--to", "space", "-o", before[1]).err
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["petals.hornbeam"]


def test_a_script_for_browsers_decides_as_predict_does(good: Any, bad: Any, tmp_path: Path) -> None:
    model, path = tmp_path / "credit.hornbeam", tmp_path / "credit.js"
    good("learn", "credit-g", "--cv", 0, "--decision-threshold", 0.2, "--save", model)
    good("show", model, "-o", path)
    written = path.read_text(encoding="ascii")
    assert written == hornbeam.export.javascript(hornbeam.load(model), decision_threshold=0.2)
    assert good("show", model, "--to", "javascript").out == written
    assert '"threshold":0.2' in written
    assert (
        "--p-values cannot be used with --to javascript" in bad("show", model, "--p-values", "--to", "javascript").err
    )
    good("learn", "credit-g", "--cv", 0, "--cost", "bad", "good", 5, "--save", model)
    good("show", model, "-o", path)
    assert '"costs":[[0,1],[5,0]]' in path.read_text(encoding="ascii")


def test_pictures_have_a_theme_and_a_place(good: Any, bad: Any, model: Path, tmp_path: Path) -> None:
    place = tmp_path / "drawn.svg"
    good("show", model, "--picture", place, "--theme", "dark")
    assert place.read_text(encoding="utf-8") == hornbeam.show.svg(petals(), theme="dark") + "\n"
    good("show", model, "--picture", place, "--data", "iris")
    iris = hornbeam.read("iris")
    assert place.read_text(encoding="utf-8") == hornbeam.show.svg(petals(), table=iris) + "\n"
    columns = ("petalwidth", "petallength")
    drawn = good("show", model, "--to", "regions", "--data", "iris", "--columns", *columns, "--theme", "light").out
    assert drawn == hornbeam.show.decision_regions(petals(), iris, columns, theme="light") + "\n"
    for arguments, message in (
        (("--picture", place, "-o", place), "--picture and -o were given"),
        (("--picture", place, "--to", "json"), "--picture cannot be used with --to json"),
        (("--picture", tmp_path / "drawn.png"), "expected a name that ends in .svg"),
        (("--theme", "dark"), "--theme needs --to svg, regions, importance, map or parallel"),
        (("--to", "regions"), "needs rows to draw: add --data DATA"),
    ):
        assert message in bad("show", model, *arguments).err


def test_the_themes_offered_are_those_there_are() -> None:
    assert THEMES == CHOICES


def test_a_model_is_drawn_as_it_is_learned(good: Any, bad: Any, tmp_path: Path) -> None:
    for scheme, told in (("c45", "petalwidth"), ("ripper", "otherwise"), ("forest", "importance of columns")):
        good("learn", "iris", "-s", scheme, "--cv", "0", "--picture", tmp_path / "drawn.svg")
        assert told in (tmp_path / "drawn.svg").read_text(encoding="utf-8")
    assert "ends in .svg" in bad("learn", "iris", "--picture", tmp_path / "drawn.png").err


def test_two_columns_may_have_a_comma_between_them(good: Any, bad: Any, model: Path, tmp_path: Path) -> None:
    regions = ("show", model, "--to", "regions", "--data", "iris", "-o", tmp_path / "plane.svg")
    drawn = []
    for columns in (("--columns", "petallength", "petalwidth"), ("--columns", "petallength,petalwidth"),
                    ("--columns=petallength,petalwidth",)):  # fmt: skip
        for arguments in ((*regions, *columns), (*regions[:2], *columns, *regions[2:])):
            good(*arguments)
            drawn.append((tmp_path / "plane.svg").read_text(encoding="utf-8"))
    assert len(set(drawn)) == 1
    for wrong in (("--columns",), ("--columns", "petallength"), ("--columns", "a,b,c")):
        assert "--columns needs two columns, such as --columns width,height; found" in bad(*regions, *wrong).err
