"""A cut of a sum of columns, told as an inequality in every view."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from show.planting import Fork, Leaf, Other, plant

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.evaluate.audit import missing_audit
from hornbeam.model.trees.split import CUTS, SUMS
from hornbeam.show.charts.space import rectangles
from hornbeam.show.texts.wording import split_branch

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree

IRIS = Schema(
    (Numeric("petallength"), Numeric("petalwidth"), Nominal("class", ("setosa", "virginica"))),
    ("feature", "feature", "target"),
)
TEST = {0: 0.4200004, 1: -1.3}, 2.1


def aslant(schema: Schema = IRIS, test: Any = TEST, **options: Any) -> Tree:
    return plant(schema, Fork(0, SUMS, test, [Leaf([5, 1]), Leaf([0, 4])], **options))


@pytest.mark.parametrize("style", ["default", "weka", "rpart"])
def test_every_style_prints_the_inequality(style: str) -> None:
    shown = hornbeam.show.text(aslant(), style=style)
    assert "0.42 petallength - 1.3 petalwidth <= 2.1" in shown
    assert "0.42 petallength - 1.3 petalwidth > 2.1" in shown


def words(**options: Any) -> list[str]:
    tree = aslant(**options)
    return [str(split_branch(tree.splits, 0, place, tree.schema.columns)) for place in range(2)]


def test_words() -> None:
    assert words(equal_low=False) == [
        "0.42 petallength - 1.3 petalwidth < 2.1",
        "0.42 petallength - 1.3 petalwidth >= 2.1",
    ]
    assert words(flipped=True)[0] == "0.42 petallength - 1.3 petalwidth > 2.1"
    assert words(test=({0: 1.0, 1: 1.0}, -0.5))[0] == "petallength + petalwidth <= -0.5"
    assert words(test=({0: -1.0, 1: -1234.5678}, 0.0))[1] == "-petallength - 1235 petalwidth > 0"
    assert words(test=({0: -0.00012345678}, 0.0))[0] == "-0.0001235 petallength <= 0"
    full = aslant(test=({0: 1.0, 1: 1234.5678}, 0.0))
    told = split_branch(full.splits, 0, 0, IRIS.columns, shorten=False)
    assert str(told) == "petallength + 1234.5678 petalwidth <= 0"


def test_names_are_made_harmless_and_long_sums_cut() -> None:
    columns = tuple(Numeric(f"\x1b[31m{place}" + "x" * 30) for place in range(8))
    schema = Schema((*columns, IRIS.columns[-1]), ("feature",) * 8 + ("target",))
    shown = hornbeam.show.text(aslant(schema, (dict.fromkeys(range(8), 2.0), 1.0)))
    assert "\x1b" not in shown
    assert "… <= 1" in shown


def test_why_and_runners_up_tell_it() -> None:
    tree = aslant(score=0.5, missing=1, alternatives=[Other(0, SUMS, ({0: 2.0, 1: 1.0}, 3.0), score=0.25)])
    log = hornbeam.show.why(tree)
    assert "Split: 0.42 petallength - 1.3 petalwidth <= 2.1, score 0.5000" in log
    assert "2 petallength + petalwidth <= 3  score 0.2500, gap 0.2500" in log
    assert "A row with one of the values missing takes the branch 0.42 petallength - 1.3 petalwidth > 2.1." in log


def test_the_picture_tells_it() -> None:
    drawn = hornbeam.show.svg(aslant())
    assert "0.42 petallength - 1.3 petalwidth" in drawn
    assert "≤ 2.1" in drawn


def test_json_gives_the_exact_terms() -> None:
    tree = aslant(missing=1, alternatives=[Other(0, SUMS, ({0: 2.0, 1: 1.0}, 3.0), score=0.25)])
    root = json.loads(hornbeam.export.json(tree))["tree"]
    terms = [{"column": "petallength", "coefficient": 0.4200004}, {"column": "petalwidth", "coefficient": -1.3}]
    assert root["columns"] == ["petallength", "petalwidth"]
    assert "column" not in root
    low, high = (child["conditions"] for child in root["children"])
    assert low == [{"sum": terms, "is": "<=", "value": 2.1, "if_missing": 0}]
    assert high == [{"sum": terms, "is": ">", "value": 2.1, "if_missing": 1}]
    (other,) = root["alternatives"]
    assert other["cuts"] == [3]
    assert [term["coefficient"] for term in other["sum"]] == [2, 1]


def test_the_audit_counts_rows_that_lack_any_term() -> None:
    table = Table(IRIS, [[1.0, np.nan, 9.0, np.nan], [1.0, 1.0, np.nan, np.nan], [0, 0, 1, 1]])
    audit = missing_audit(aslant(missing=1), table)
    (told,) = audit.nodes
    assert (told.arrived.rows, told.lacking.rows, told.branch.rows) == (4, 3, 3)
    assert told.column == "0.42 petallength - 1.3 petalwidth"
    assert told.branch_words == "0.42 petallength - 1.3 petalwidth > 2.1 or missing"


def test_the_plane_does_not_fall_into_rectangles() -> None:
    with pytest.raises(ValueError, match=r"node 0 cuts the sum 0\.42 petallength - 1\.3 petalwidth"):
        rectangles(aslant(), ("petallength", "petalwidth"))


def test_cuts_beside_the_codes_of_an_ordered_column_are_told() -> None:
    schema = Schema((Nominal("size", ("S", "M"), ordered=True), IRIS.columns[-1]), ("feature", "target"))
    tree = plant(schema, Fork(0, CUTS, [-0.5, 0.5, 4.5], [Leaf([1, 0]), Leaf([0, 1]), Leaf([1, 1]), Leaf([1, 0])]))
    told = [str(split_branch(tree.splits, 0, place, schema.columns)) for place in range(4)]
    assert told == ["size <= code -1", "size > code -1 and <= S", "size > S and <= code 4", "size > code 4"]


def test_a_flipped_cut_is_told_from_above_in_json() -> None:
    schema = Schema((Numeric("x"), IRIS.columns[-1]), ("feature", "target"))
    tree = plant(schema, Fork(0, CUTS, [1.0, 2.0], [Leaf([1, 0]), Leaf([0, 1]), Leaf([1, 1])], missing=0, flipped=True))
    nodes = json.loads(hornbeam.export.json(tree))["tree"]["children"]
    told = [[(condition["is"], condition["value"]) for condition in node["conditions"]] for node in nodes]
    assert told == [[(">", 2)], [(">", 1), ("<=", 2)], [("<=", 1)]]
