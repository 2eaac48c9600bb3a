"""Parts of leaves against a naive program that decides about the whole tree anew for every new row.

And what they are for: whichever of the rows is taken for the new one, so many of them are covered, exactly.
"""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.evaluate.coverage.conformal_parts import Parts, least_rows, rank

COVERAGES = st.sampled_from((0.5, 0.6, 0.75, 0.8, 0.9, 0.95))


@st.composite
def shapes(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Parents before children, and rows that end anywhere, at inner nodes too."""
    size = draw(st.integers(1, 14))
    parent = [-1, *(draw(st.integers(0, node - 1)) for node in range(1, size))]
    counts = draw(st.lists(st.sampled_from((0, 0, 1, 2, 3, 5, 9, 12, 30)), min_size=size, max_size=size))
    return parent, counts


def naive(parent: list[int], counts: list[int], enough: int) -> list[set[int]]:
    """All parts of a tree, from sets."""
    waiting: dict[int, set[int]] = {}
    below: dict[int, list[set[int]]] = {}
    rows = lambda group: sum(counts[node] for node in group)  # noqa: E731
    for node in reversed(range(len(parent))):
        children = [child for child, above in enumerate(parent) if above == node]
        parts = [part for child in children for part in below[child]]
        left = {leaf for child in children for leaf in waiting[child]}
        if counts[node] >= enough:
            parts.append({node})
        elif counts[node]:
            left.add(node)
        if rows(left) >= enough:
            parts.append(left)
            left = set()
        elif left and parts:
            fewest = min(rows(part) for part in parts)
            home = min((part for part in parts if rows(part) == fewest), key=min)
            parts[parts.index(home)] = home | left
            left = set()
        waiting[node], below[node] = left, parts
    return below[0] + ([waiting[0]] if waiting[0] else [])


@given(shapes(), st.integers(1, 12))
def test_a_leaf_has_the_part_that_the_whole_tree_would_give_it(shape: tuple[list[int], list[int]], least: int) -> None:
    parent, counts = shape
    if sum(counts) < least:
        with pytest.raises(ValueError, match="expected at least"):
            Parts(parent, counts, least)
        return
    parts = Parts(parent, counts, least)
    for leaf in range(len(parent)):
        with_new = [count + (node == leaf) for node, count in enumerate(counts)]
        expected = next(part for part in naive(parent, with_new, least + 1) if leaf in part)
        found = parts.of(leaf)
        assert set(found.members) == expected
        assert found.rows == sum(counts[node] for node in expected) >= least
        if counts[leaf] >= least or leaf not in parent:
            assert (found.formed_at == leaf) == (counts[leaf] >= least)
        above = leaf
        while above != found.formed_at:  # a node above, or itself
            above = parent[above]
            assert above >= 0


@given(shapes(), COVERAGES)
def test_all_but_so_many_rows_are_covered_when_each_is_the_new_one_in_turn(
    shape: tuple[list[int], list[int]], coverage: float
) -> None:
    """The proof in small: no distribution is needed, only that any row might have been the last."""
    parent, counts = shape
    least = least_rows(coverage)
    if sum(counts) <= least:
        return
    places = [node for node, count in enumerate(counts) for _ in range(count)]
    scores = [(7 * i * i + 3 * i) % 101 + i / 1000 for i in range(len(places))]  # all different
    covered = 0
    for new, (leaf, score) in enumerate(zip(places, scores, strict=True)):
        others = [count - (node == leaf) for node, count in enumerate(counts)]
        part = Parts(parent, others, least).of(leaf)
        beside = sorted(s for i, s in enumerate(scores) if i != new and places[i] in part.members)
        covered += score <= beside[rank(len(beside), coverage) - 1]
    expected = sum(
        math.ceil(Fraction(str(coverage)) * sum(counts[node] for node in part))
        for part in naive(parent, counts, least + 1)
    )
    assert covered == expected
    assert covered >= coverage * len(places) - 1e-9


@given(st.integers(1, 400), COVERAGES)
def test_ranks_are_exact(rows: int, coverage: float) -> None:
    share = Fraction(str(coverage))
    assert rank(rows, coverage) == min(k for k in range(rows + 2) if Fraction(k, rows + 1) >= share)
    assert (rank(rows, coverage) <= rows) == (rows >= least_rows(coverage))


def test_a_leaf_with_too_few_rows_borrows_from_its_parent() -> None:
    parts = Parts([-1, 0, 0, 1, 1], [0, 0, 20, 3, 15], 9)
    small, sibling, other = parts.of(3), parts.of(4), parts.of(2)
    assert (small.members, small.rows, small.formed_at) == ((3, 4), 18, 1)
    assert (sibling.members, sibling.formed_at) == ((3, 4), 4)  # the two share: else neither would be covered as said
    assert (other.members, other.rows) == ((2,), 20)
