"""Golden figures G10 and G25: the chi-square test of splits, by itself and as ID3's stop."""

from __future__ import annotations

import numpy as np
import pytest

import hornbeam
from hornbeam import ID3Classifier, Nominal, Schema, Table
from hornbeam.learn.trees.criteria import chi_square, contingency, expected_counts

TABLE = np.array([[1, 4], [1, 3]])  # 2 and 7 rows of two classes, by branch


def test_g10_expected_counts() -> None:
    assert TABLE[0].sum() / TABLE.sum() == pytest.approx(5 / 9, abs=1e-4)
    assert expected_counts(TABLE)[0] == pytest.approx([10 / 9, 35 / 9], abs=1e-4)


def test_g10_the_statistic_is_useless_at_95_percent() -> None:
    found = chi_square(TABLE)
    assert found.statistic == pytest.approx(0.0321, abs=1e-4)
    assert found.degrees == 1
    assert found.p_value > 0.05


# ---- ID3, which used this test in addition to information gain ----


def table_of(branches: dict[str, tuple[int, int]]) -> Table:
    """Rows with one nominal column: by category how many are of class a and of class b."""
    codes = [code for code, counts in enumerate(branches.values()) for _ in range(sum(counts))]
    classes = [label for counts in branches.values() for label in (0, 1) for _ in range(counts[label])]
    schema = Schema((Nominal("column", tuple(branches)), Nominal("class", ("a", "b"))), ("feature", "target"))
    return Table(schema, [np.array(codes, np.int32), np.array(classes, np.int32)])


def test_g10_id3_does_not_make_the_useless_split() -> None:
    table = table_of({"left": (1, 4), "right": (1, 3)})
    assert ID3Classifier().fit(table).model_.n_leaves == 2  # its gain is above zero
    assert ID3Classifier(significance=0.05).fit(table).model_.n_leaves == 1


def test_g25_id3_makes_the_split_that_is_no_chance() -> None:
    table = table_of({"left": (8, 0), "right": (2, 7)})
    assert chi_square([[8, 0], [2, 7]]).statistic == pytest.approx(10.578, abs=1e-3)
    assert ID3Classifier(significance=0.05).fit(table).model_.n_leaves == 2
    assert ID3Classifier(significance=0.001).fit(table).model_.n_leaves == 1  # its p-value is 0.00114


def test_g3_only_significant_columns_of_the_weather_data_are_chosen_by_gain() -> None:
    """Outlook has the greatest gain but a p-value of 0.17; humidity is the only column with one below 0.1."""
    weather = hornbeam.read("weather")
    p_values = {
        name: chi_square(contingency(weather, name)).p_value for name in ("outlook", "temperature", "humidity", "windy")
    }
    assert {name: round(p, 3) for name, p in p_values.items()} == {
        "outlook": 0.17, "temperature": 0.752, "humidity": 0.094, "windy": 0.334,
    }  # fmt: skip
    first = {
        level: hornbeam.show.text(ID3Classifier(significance=level).fit(weather)).splitlines()[1:2]
        for level in (0.5, 0.1, 0.05)
    }
    assert first[0.5] == ["├─ outlook = sunny"]
    assert first[0.1] == ["├─ humidity = high"]
    assert ID3Classifier(significance=0.05).fit(weather).model_.n_nodes == 1
