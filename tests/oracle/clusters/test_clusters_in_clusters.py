"""COBWEB's trees and hierarchical clusters are the other programs', up to ties."""

from __future__ import annotations

import pytest
from oracle import evidence
from oracle.clusters.cluster_results import HIERARCHIES, NOT_TIED, Outcome, compare, complaints
from oracle.clusters.clusters_in_clusters import TIES, by_the_book, concepts, printed_shape, shape_of, shuffled_rows
from oracle.exceptions import explained
from reference.concepts_beside import sizes_of

CONCEPTS = evidence.answered("Cobweb")
DIFFERENT = explained("Cobweb")
QUICK = ("cpu", "glass", "iris", "weather.numeric", "pyrim")


@pytest.mark.parametrize("data", [name for name in CONCEPTS if name not in DIFFERENT])
def test_the_tree_of_concepts_is_the_same(data: str) -> None:
    assert compare("Cobweb", data).difference == ""


@pytest.mark.parametrize("data", sorted(DIFFERENT))
def test_a_different_tree_is_of_about_the_same_size(data: str) -> None:
    found, theirs = concepts(data), evidence.answers("Cobweb", data)
    assert shape_of(found.model_)[0] == printed_shape(theirs["model"])[0]
    assert found.model_.n_nodes == pytest.approx(theirs["clusters"], rel=0.15, abs=4)


@pytest.mark.parametrize(
    "data", [pytest.param(name, marks=[] if name == "iris" else pytest.mark.oracle) for name in sorted(TIES)]
)
def test_one_tie_decided_the_other_way_makes_their_tree(data: str) -> None:
    """Nothing else differs: both candidates are worth the same to the last digit or so."""
    order, ours = shuffled_rows(data), by_the_book(data)
    assert sizes_of(ours.tree(order)) == shape_of(concepts(data).model_)
    assert ours.ties[TIES[data]] < 1e-15
    theirs = by_the_book(data, other_way=TIES[data])
    assert sizes_of(theirs.tree(order)) == printed_shape(evidence.answers("Cobweb", data)["model"])


@pytest.mark.parametrize(("scheme", "data"), [(scheme, data) for scheme in HIERARCHIES for data in QUICK])
def test_hierarchies_are_the_same_up_to_ties(scheme: str, data: str) -> None:
    outcome = compare(scheme, data)
    assert bool(outcome.difference) == (data in explained(scheme)), outcome.difference
    assert complaints([outcome]) == []


def test_a_difference_without_a_tie_is_found_out() -> None:
    assert complaints([Outcome("hclust-single", "iris", f"heights differ; {NOT_TIED}")])
    assert complaints([Outcome("hclust-single", "iris", "heights differ")]) == []
