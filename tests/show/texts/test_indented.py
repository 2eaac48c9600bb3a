"""The default style."""

from __future__ import annotations

import numpy as np
import pytest
from show.planting import Fork, Leaf, Other, plant, read_classic
from show.texts.test_classic import IRIS

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS
from hornbeam.model.trees.tree import STOP, Tree
from hornbeam.show import text
from hornbeam.show.texts.wording import width


def two_classes(*columns: Numeric | Nominal, name: str = "table") -> Schema:
    return Schema((*columns, Nominal("y", ("a", "b"))), ("feature",) * len(columns) + ("target",), name)


def test_iris_is_drawn_in_columns() -> None:
    assert text(read_classic(IRIS)) == (
        "table                          the class        weight  wrong\n"
        "├─ petalwidth <= 0.6 ········· Iris-setosa          50\n"
        "└─ petalwidth > 0.6\n"
        "   ├─ petalwidth <= 1.7\n"
        "   │  ├─ petallength <= 4.9 ·· Iris-versicolor      48      1\n"
        "   │  └─ petallength > 4.9\n"
        "   │     ├─ petalwidth <= 1.5  Iris-virginica        3\n"
        "   │     └─ petalwidth > 1.5   Iris-versicolor       3      1\n"
        "   └─ petalwidth > 1.7 ······· Iris-virginica       46      1\n"
        "\n"
        "5 leaves, size 9, depth 4; 3 of 150 wrong in training"
    )


def test_a_node_at_the_depth_limit_stands_for_its_subtree() -> None:
    assert text(read_classic(IRIS), style="ascii", max_depth=1) == (
        "table                 the class    weight  wrong\n"
        "|- petalwidth <= 0.6  Iris-setosa      50\n"
        "`- petalwidth > 0.6   (4 leaves)      100      3\n"
        "\n"
        "5 leaves, size 9, depth 4; 3 of 150 wrong in training"
    )
    assert "all rows  (5 leaves)     150      3" in text(read_classic(IRIS), max_depth=0)


def test_inner_nodes_do_not_widen_the_columns() -> None:
    fork = Fork(0, CUTS, [1.0], [Leaf([0.5, 0]), Leaf([0, 0.5])])
    shown = text(plant(two_classes(Numeric("x")), Fork(0, CUTS, [2.0], [fork, Leaf([3, 0])])))
    assert shown.split("\n")[0] == "table         y  weight  wrong"


def test_a_lone_leaf() -> None:
    assert text(plant(two_classes(Numeric("x")), Leaf([9, 5]))) == (
        "table     y  weight  wrong\nall rows  a      14      5\n\n1 leaf, size 1, depth 0; 5 of 14 wrong in training"
    )


def words(tree: Tree) -> list[str]:
    """The conditions of a tree of depth one, without lines and figures."""
    return [line[3:].split("  ")[0].split(" ·")[0] for line in text(tree).split("\n")[1:-2]]


@pytest.mark.parametrize(("equal_low", "wanted"), [(True, ["x <= 2.5", "x > 2.5"]), (False, ["x < 2.5", "x >= 2.5"])])
def test_a_cut_says_where_an_equal_value_goes(equal_low: bool, wanted: list[str]) -> None:
    fork = Fork(0, CUTS, [2.5], [Leaf([1, 0]), Leaf([0, 1])], equal_low=equal_low)
    assert words(plant(two_classes(Numeric("x")), fork)) == wanted


def test_branches_may_be_counted_from_above() -> None:
    fork = Fork(0, CUTS, [1, 2], [Leaf([1, 0]), Leaf([0, 1]), Leaf([1, 0])], flipped=True)
    assert words(plant(two_classes(Numeric("x")), fork)) == ["x > 2", "x > 1 and <= 2", "x <= 1"]
    two = plant(two_classes(Numeric("x")), Fork(0, CUTS, [1.0], [Leaf([1, 0]), Leaf([0, 1])], flipped=True))
    assert text(two, style="weka") == "x > 1: a (1.0)\nx <= 1: b (1.0)"
    assert [line.split()[1] for line in text(two, style="rpart").split("\n")[5:]] == ["root", "x>", "x<=1"]


def test_a_branch_between_two_cuts_names_both() -> None:
    fork = Fork(0, CUTS, [1, 2], [Leaf([1, 0]), Leaf([0, 1]), Leaf([1, 0])])
    assert words(plant(two_classes(Numeric("x")), fork)) == ["x <= 1", "x > 1 and <= 2", "x > 2"]


@pytest.mark.parametrize(("cut", "equal_low"), [(1.0, True), (1.5, True), (1.5, False), (2.0, False)])
def test_an_ordered_column_is_cut_by_name(cut: float, equal_low: bool) -> None:
    size = Nominal("size", ("small", "medium", "large"), ordered=True)
    fork = Fork(0, CUTS, [cut], [Leaf([1, 0]), Leaf([0, 1])], equal_low=equal_low)
    assert words(plant(two_classes(size), fork)) == ["size <= medium", "size > medium"]


def test_a_date_is_written_as_a_date() -> None:
    fork = Fork(0, CUTS, [86400.0 * 31], [Leaf([1, 0]), Leaf([0, 1])])
    assert words(plant(two_classes(Numeric("day", "%Y-%m-%d")), fork)) == ["day <= 1970-02-01", "day > 1970-02-01"]


def test_a_date_beyond_the_calendar_is_written_as_a_number() -> None:
    fork = Fork(0, CUTS, [1e14], [Leaf([1, 0]), Leaf([0, 1])])
    assert words(plant(two_classes(Numeric("day", "%Y")), fork))[0] == "day <= 100000000000000"


def test_sets_of_categories_are_named_and_long_ones_cut() -> None:
    color = Nominal("color", tuple(f"shade {n}" for n in range(100)))
    grouped = Fork(0, CODES, [0, 0, *[1] * 98], [Leaf([1, 0]), Leaf([0, 1])])
    few, many = words(plant(two_classes(color), grouped))
    assert few == "color in {shade 0, shade 1}"
    assert many == "color in {shade 2, shade 3, shade 4, shade 5, shade 6, shade 7, … 92 more}"
    rest = Fork(0, CODE_SETS, ([1, 5], [0, 0], 1), [Leaf([1, 0]), Leaf([0, 1])])
    assert words(plant(two_classes(color), rest)) == [
        "color in {shade 1, shade 5}",
        "color not in {shade 1, shade 5}",
    ]


def test_the_branch_of_missing_values_says_so() -> None:
    fork = Fork(0, CUTS, [2.5], [Leaf([1, 0]), Leaf([0, 1])], missing=1)
    assert words(plant(two_classes(Numeric("x")), fork)) == ["x <= 2.5", "x > 2.5 or missing"]


def test_missing_values_as_a_category_of_their_own() -> None:
    schema = two_classes(Nominal("x", ("p", "q")))
    multiway = Fork(0, CODES, [0, 1], [Leaf([1, 0]), Leaf([0, 1]), Leaf([2, 1])], missing=2)
    assert words(plant(schema, multiway)) == ["x = p", "x = q", "x is missing"]
    alone = Fork(0, CODE_SETS, ([], [], 1), [Leaf([1, 0]), Leaf([0, 1])], missing=0)
    assert words(plant(schema, alone)) == ["x is missing", "x is known"]
    rest = Fork(0, CODE_SETS, ([1], [0], 1), [Leaf([1, 0]), Leaf([0, 1])], missing=1)
    assert words(plant(schema, rest)) == ["x = q", "x != q or missing"]


def test_a_leaf_without_an_answer_says_so() -> None:
    fork = Fork(0, CODES, [0, 1], [Leaf([1, 2]), Leaf([0, 0], label=-1)], missing=STOP)
    assert "no prediction       0" in text(plant(two_classes(Nominal("x", ("p", "q"))), fork))


def test_a_long_name_does_not_push_the_other_lines() -> None:
    schema = two_classes(Nominal("x", ("p", "q" * 200)), Numeric("n"))
    tree = plant(schema, Fork(0, CODES, [0, 1], [Leaf([1, 0]), Leaf([0, 2])]))
    lines = text(tree).split("\n")
    assert all(width(line) < 80 for line in lines)
    assert "…" in lines[2]
    deep: Leaf | Fork = Leaf([1, 0])
    for _ in range(40):
        deep = Fork(1, CUTS, [1], [deep, Leaf([0, 1])])
    lines = text(plant(schema, deep)).split("\n")
    assert "\n└─ n > 1 ···" in "\n".join(lines)
    assert max(map(width, lines)) < 160


def test_wide_characters_are_aligned_by_what_they_take() -> None:
    schema = two_classes(Nominal("天気", ("晴れ", "雨")))
    lines = text(plant(schema, Fork(0, CODES, [0, 1], [Leaf([1, 0]), Leaf([0, 2])]))).split("\n")
    assert {width(line.split(" a ")[0].split(" b ")[0]) for line in lines[1:3]} == {15}


def test_names_cannot_command_the_terminal() -> None:
    schema = two_classes(Nominal("x\x1b[2J\u202e", ("p\n", "\x9b1m")), name="t\x07")
    shown = text(plant(schema, Fork(0, CODES, [0, 1], [Leaf([1, 0]), Leaf([0, 2])])))
    assert all(c.isprintable() for c in shown.replace("\n", ""))
    assert shown.count("\n") == 4
    assert "\\x1b[2J\\u202e" in shown


def test_a_numeric_target_shows_means() -> None:
    schema = Schema((Numeric("x"), Numeric("y")), ("feature", "target"))
    tree = plant(two_classes(Numeric("x")), Fork(0, CUTS, [1.0], [Leaf([1, 0]), Leaf([0, 1])]))
    arrays = {**tree.__getstate__(), "schema": schema}
    arrays["value"] = np.array([[2, 3.0, 2.0], [1, 2.0, 0.0], [1, 4.0, 0.0]])
    arrays["error"], arrays["label"] = arrays["value"][:, 2], np.full(3, -1, np.int32)
    shown = text(Tree(**arrays))
    assert "x <= 1  2       1   0" in shown
    assert shown.endswith("2 leaves, size 3, depth 1; explains 100.0% of the variance in training")


def regression() -> Tree:
    schema = Schema((Numeric("x"), Nominal("c", ("p", "q")), Numeric("y")), ("feature", "feature", "target"), "t")
    inner = Fork(1, CODES, [0, 1], [Leaf([10, 139.3333, 250.0]), Leaf([4, 82.5, 0.0])], missing=1)
    return plant(schema, Fork(0, CUTS, [1.5], [inner, Leaf([20, 6.25, 20.0])], surrogates=[Other(1, CODES, [0, 1])]))


def test_means_and_deviations_stand_in_columns() -> None:
    assert text(regression()) == (
        "t                            y  weight  sd\n"
        "├─ x <= 1.5\n"
        "│  ├─ c = p ··········· 139.33      10   5\n"
        "│  └─ c = q or missing   82.50       4   0\n"
        "└─ x > 1.5 ············   6.25      20   1\n"
        "\n"
        "3 leaves, size 5, depth 2; explains 99.8% of the variance in training"
    )
    assert "(2 leaves)      14  4.2258" in text(regression(), max_depth=1)
    assert "|   c = p: 139.3333 (10.0/250.0)\n" in text(regression(), style="weka")


def test_a_branch_that_asks_surrogates_first_does_not_claim_missing_values() -> None:
    fork = Fork(0, CUTS, [2.5], [Leaf([1, 0]), Leaf([0, 1])], missing=1, surrogates=[Other(1, CUTS, [3.0])])
    assert words(plant(two_classes(Numeric("x"), Numeric("z")), fork)) == ["x <= 2.5", "x > 2.5"]


def test_a_cut_beyond_every_number_parts_known_from_missing() -> None:
    fork = Fork(0, CUTS, [np.inf], [Leaf([1, 0]), Leaf([0, 1])], missing=1)
    assert words(plant(two_classes(Numeric("x")), fork)) == ["x is known", "x is missing"]
    three = Fork(0, CUTS, [2.5, np.inf], [Leaf([1, 0]), Leaf([0, 1]), Leaf([1, 1])], missing=2)
    assert words(plant(two_classes(Numeric("x")), three)) == ["x <= 2.5", "x > 2.5", "x is missing"]


def test_a_tree_deeper_than_the_stack_is_drawn() -> None:
    body = ["x <= 0: a (1.0)", "x > 0: b (1.0)"]
    tree = read_classic("\n".join(body))
    n = 3000
    nodes = 2 * n + 1
    parent = np.concatenate([[-1], np.repeat(np.arange(0, 2 * n, 2), 2)]).astype(np.int32)
    inner = np.zeros(nodes, bool)
    inner[0 : 2 * n : 2] = True
    arrays = {**tree.__getstate__(), "parent": parent}
    arrays["first_child"] = np.where(inner, np.arange(nodes) + 1, -1).astype(np.int32)
    arrays["n_children"] = np.where(inner, 2, 0).astype(np.int32)
    arrays["split"] = np.where(inner, 0, -1).astype(np.int32)
    for name in ("missing", "rows", "label"):
        arrays[name] = np.zeros(nodes, arrays[name].dtype)
    for name in ("weight", "error", "share"):
        arrays[name] = np.ones(nodes)
    arrays["value"] = np.ones((nodes, tree.value.shape[1]))
    deep = Tree(**arrays)
    assert f"depth {n}" in text(deep)
    assert text(deep, style="weka").count("\n") == 2 * n - 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"style": "fancy"}, "unknown style 'fancy'; expected one of 'default'"),
        ({"max_depth": -1}, "max_depth is -1"),
        ({"style": "weka", "max_depth": 2}, "prints whole trees"),
    ],
)
def test_what_cannot_be_asked_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        text(read_classic(IRIS), **arguments)


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot write a dict as text"):
        text({})


def test_a_tree_of_a_date_prints_dates() -> None:
    schema = Schema((Numeric("x"), Numeric("day", format="%Y-%m-%d")), ("feature", "target"))
    seconds = 86_400.0 * (18_262 + np.repeat([0.0, 10.0, 100.0, 110.0], 10))  # from 2020-01-01 on
    table = hornbeam.Table(schema, [np.repeat([1.0, 1.0, 2.0, 2.0], 10), seconds])
    tree = hornbeam.CartRegressor(folds=0).fit(table)
    head, *lines = hornbeam.show.text(tree).splitlines()
    assert head.split()[-4:] == ["day", "weight", "sd", "(days)"]
    assert [line.split()[-3:] for line in lines[:2]] == [["2020-01-06", "20", "5"], ["2020-04-15", "20", "5"]]
    assert ">2020-04-15<" in hornbeam.show.svg(tree)
