"""The classic layouts, byte for byte: by hand, by number, and every stored text read into a tree and written again."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.trees.answers import SCHEMES, answer, large_pairs, small_pairs
from show.planting import Fork, Leaf, plant, read_classic

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS
from hornbeam.model.trees.tree import FRACTIONAL, STOP
from hornbeam.show import text
from hornbeam.show.texts.trees.classic import count, java_number, rounded_number

IRIS = """\
petalwidth <= 0.6: Iris-setosa (50.0)
petalwidth > 0.6
|   petalwidth <= 1.7
|   |   petallength <= 4.9: Iris-versicolor (48.0/1.0)
|   |   petallength > 4.9
|   |   |   petalwidth <= 1.5: Iris-virginica (3.0)
|   |   |   petalwidth > 1.5: Iris-versicolor (3.0/1.0)
|   petalwidth > 1.7: Iris-virginica (46.0/1.0)"""

LABOR_BINARY = """\
wage-increase-first-year <= 2.5: bad (15.27/2.27)
wage-increase-first-year > 2.5
|   longterm-disability-assistance = yes
|   |   statutory-holidays <= 10.0: bad (2.0)
|   |   statutory-holidays > 10.0: good (25.67)
|   longterm-disability-assistance != yes: good (2.17)"""

WEATHER_ID3 = """\
outlook = sunny
|  humidity = high: no
|  humidity = normal: yes
outlook = overcast: null
outlook = rainy: yes"""


@pytest.mark.parametrize(
    ("body", "indent", "missing"),
    [
        (IRIS, "|   ", FRACTIONAL),
        (LABOR_BINARY, "|   ", FRACTIONAL),
        (WEATHER_ID3, "|  ", STOP),
        (WEATHER_ID3, "|  ", FRACTIONAL),
    ],
)
def test_a_text_is_read_and_written_the_same(body: str, indent: str, missing: int) -> None:
    assert text(read_classic(body, indent, missing), style="weka") == body


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_stored_text_is_written_the_same(scheme: str) -> None:
    names = [data for found, data in (*small_pairs(), *large_pairs()) if found == scheme]
    assert names
    style = {"J48-B": "weka-binary", "Id3": "weka-id3"}.get(scheme, "weka")
    indent, missing = ("|  ", STOP) if scheme == "Id3" else ("|   ", FRACTIONAL)
    for data in names:
        found = answer(scheme, data)
        # The newer version of the reference program prints a small negative cut as -0.
        wanted = found.body.replace("> -0:", "> 0:").replace("<= -0:", "<= 0:") if found.newer else found.body
        assert text(read_classic(found.body, indent, missing), style=style) == wanted, data


def test_a_tree_of_one_leaf() -> None:
    schema = Schema((Numeric("x"), Nominal("y", ("a", "b"))), ("feature", "target"))
    tree = plant(schema, Leaf([9.0, 5.0]))
    assert text(tree, style="weka") == ": a (14.0/5.0)"
    assert text(tree, style="weka-id3") == ": a"


def test_an_empty_leaf_has_no_weight_and_a_label() -> None:
    schema = Schema((Nominal("x", ("p", "q", "r")), Nominal("y", ("a", "b"))), ("feature", "target"))
    tree = plant(schema, Fork(0, CODES, [0, 1, 2], [Leaf([3, 0]), Leaf([0, 2]), Leaf([0, 0])]))
    assert text(tree, style="weka").split("\n")[-1] == "x = r: a (0.0)"


def test_errors_of_next_to_nothing_are_not_printed() -> None:
    schema = Schema((Numeric("x"), Nominal("y", ("a", "b"))), ("feature", "target"))
    assert text(plant(schema, Leaf([9.0, 1e-7])), style="weka") == ": a (9.0)"
    assert text(plant(schema, Leaf([9.0, 1e-5])), style="weka") == ": a (9.0/0.0)"


def test_cuts_are_printed_as_the_layout_says() -> None:
    schema = Schema((Numeric("x"), Nominal("y", ("a", "b"))), ("feature", "target"))
    tree = plant(schema, Fork(0, CUTS, [2.0], [Leaf([3, 0]), Leaf([0, 2])]))
    assert text(tree, style="weka").startswith("x <= 2: a")
    assert text(tree, style="weka-binary").startswith("x <= 2.0: a")


@pytest.mark.parametrize(
    ("recipe", "printed"),
    [
        ({"criterion": "gain-ratio", "nominal": "one-vs-rest"}, "x <= 2.0: a (3.0)\nx > 2.0: b (2.0)"),
        ({"criterion": "gain-ratio", "nominal": "multiway"}, "x <= 2: a (3.0)\nx > 2: b (2.0)"),
        ({"criterion": "information-gain"}, "x <= 2: a\nx > 2: b"),
    ],
)
def test_the_recipe_decides_the_layout(recipe: dict[str, str], printed: str) -> None:
    schema = Schema((Numeric("x"), Nominal("y", ("a", "b"))), ("feature", "target"))
    tree = plant(schema, Fork(0, CUTS, [2.0], [Leaf([3, 0]), Leaf([0, 2])]))
    assert text(replace(tree, recipe=recipe), style="weka") == printed


def test_names_cannot_command_the_terminal() -> None:
    schema = Schema((Nominal("x\x1b[2J", ("p\n", "q")), Nominal("y", ("a", "b\r"))), ("feature", "target"))
    tree = plant(schema, Fork(0, CODE_SETS, ([0], [0], 1), [Leaf([3, 0]), Leaf([0, 2])]))
    assert text(tree, style="weka") == "x\\x1b[2J = p\\n: a (3.0)\nx\\x1b[2J != p\\n: b\\r (2.0)"


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (2.0, "2"),
        (0.5, "0.5"),
        (1.23456789, "1.234568"),
        (-0.0000004, "0"),
        (-0.0000005, "-0.000001"),
        (100.0, "100"),
        (1e9 + 0.5, "1000000000.5"),
        (1e13 + 0.5, "1.00000000000005E13"),  # from here on beyond a whole number of 63 bits
        (1e15, "1.0E15"),
        (-12.25, "-12.25"),
    ],
)
def test_numbers_have_six_decimals_at_most(value: float, printed: str) -> None:
    assert rounded_number(value) == printed


@given(st.floats(min_value=-1e9, max_value=1e9))
def test_a_rounded_number_is_within_half_a_digit(value: float) -> None:
    # as near as the neighboring floats allow: far from zero they lie further apart than the digits left out
    assert math.isclose(float(rounded_number(value)), value, rel_tol=0, abs_tol=0.5e-6 + 2 * math.ulp(value))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_java_number_reads_back_exactly(value: float) -> None:
    printed = java_number(value)
    assert float(printed) == value
    assert "." in printed
    assert "e" not in printed


@pytest.mark.parametrize(
    ("value", "printed"),
    [(50.0, "50.0"), (15.2666, "15.27"), (0.125, "0.13"), (0.005, "0.01"), (2e7, "2.0E7"), (0.0, "0.0")],
)
def test_counts_have_two_decimals_half_up(value: float, printed: str) -> None:
    assert count(value) == printed
