"""Trees of concepts and joinings are the other programs', up to ties."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.clusters_in_clusters import (
    DIFFERENT,
    LINKAGES,
    TIES,
    answer,
    by_the_book,
    concepts,
    joinings,
    printed_shape,
    sets_of,
    shape_of,
    shuffled_rows,
)
from reference.concepts_beside import sizes_of
from sklearn.metrics import adjusted_rand_score

SAME = 1e-7  # heights are printed with about eight digits
CONCEPTS = sets_of("Cobweb")
JOININGS = [(f"hclust-{how}", data) for how in LINKAGES for data in sets_of(f"hclust-{how}")]
QUICK = ("cpu", "glass", "iris", "weather.numeric", "pyrim")


@pytest.mark.parametrize("data", [name for name in CONCEPTS if name not in DIFFERENT])
def test_the_tree_of_concepts_is_the_same(data: str) -> None:
    assert shape_of(concepts(data).model_) == printed_shape(answer("Cobweb", data)["model"])


@pytest.mark.parametrize("data", [name for name in CONCEPTS if name in DIFFERENT])
def test_a_different_tree_is_of_about_the_same_size(data: str) -> None:
    found, theirs = concepts(data), answer("Cobweb", data)
    shape = printed_shape(theirs["model"])
    assert shape_of(found.model_)[0] == shape[0]
    assert found.model_.n_nodes == pytest.approx(theirs["clusters"], rel=0.15, abs=4)


@pytest.mark.parametrize(
    "data",
    [pytest.param(name, marks=[] if name == "iris" else pytest.mark.oracle) for name in CONCEPTS if name in TIES],
)
def test_one_tie_decided_the_other_way_makes_their_tree(data: str) -> None:
    """Nothing else differs: both candidates are worth the same to the last digit or so."""
    order, ours = shuffled_rows(data), by_the_book(data)
    assert sizes_of(ours.tree(order)) == shape_of(concepts(data).model_)
    assert ours.ties[TIES[data]] < 1e-15
    theirs = by_the_book(data, other_way=TIES[data])
    assert sizes_of(theirs.tree(order)) == printed_shape(answer("Cobweb", data)["model"])


def replayed(matrix: np.ndarray, pairs: np.ndarray, how: str) -> tuple[np.ndarray, bool]:
    """Heights by the definition, whether the two nearest were joined each time, and whether two pairs were equal."""
    n = len(matrix)
    apart = np.sqrt(((matrix[:, np.newaxis] - matrix) ** 2).sum(axis=2))
    power = 2 if how == "ward" else 1
    apart = apart**power
    np.fill_diagonal(apart, np.inf)
    place, size = list(range(n)), np.ones(n)
    heights, tied = np.empty(n - 1), False
    for i, (one, other) in enumerate(pairs):
        a, b = place[one], place[other]
        least = apart.min()
        assert apart[a, b] <= least + SAME, "another pair was nearer"
        tied |= int((apart <= least + SAME).sum()) > 2
        heights[i] = apart[a, b] ** (1 / power)
        new = {
            "single": np.minimum(apart[a], apart[b]),
            "complete": np.maximum(apart[a], apart[b]),
            "average": (size[a] * apart[a] + size[b] * apart[b]) / (size[a] + size[b]),
            "ward": ((size[a] + size) * apart[a] + (size[b] + size) * apart[b] - size * apart[a, b])
            / (size[a] + size[b] + size),
        }[how]
        apart[a] = apart[:, a] = np.where(np.isfinite(apart[a]) & np.isfinite(apart[b]), new, np.inf)
        apart[a, a] = np.inf
        apart[b] = apart[:, b] = np.inf
        size[a] += size[b]
        place.append(a)
    return heights, tied


@pytest.mark.parametrize(
    ("scheme", "data"),
    [pytest.param(*pair, marks=[] if pair[1] in QUICK else pytest.mark.oracle) for pair in JOININGS],
)
def test_joinings_are_the_same_up_to_ties(scheme: str, data: str) -> None:
    fitted, matrix = joinings(scheme, data)
    theirs, model = answer(scheme, data), fitted.model_
    heights, tied = replayed(matrix, model.pairs, model.linkage)
    assert model.heights == pytest.approx(heights, abs=1e-6)
    if not tied:
        assert model.heights == pytest.approx(np.array(theirs["height"]), abs=1e-6)
        assert adjusted_rand_score(fitted.labels_, list(theirs["assign"])) == 1.0


@pytest.mark.oracle
def test_no_answer_is_left_out() -> None:
    assert len(CONCEPTS) == 29
    assert len(JOININGS) == 48
