"""CART with row weights, priors and losses is rpart's, on a stored sample of random tables; R is not needed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from fuzz.rpart_claims import CLAIMS
from fuzz.rpart_compare import compare, estimator
from fuzz.rpart_store import OF_EACH, stored
from oracle.trees.test_rpart_reference import LINE, described
from reference.cart import from_table
from reference.cart_parts import Options as Growth

from hornbeam.show import text

if TYPE_CHECKING:
    from fuzz.random_tables import Drawn
    from fuzz.rpart_process import Options, Reply

CASES = stored()


@pytest.mark.parametrize("claim", CASES)
@pytest.mark.parametrize("place", range(OF_EACH))
def test_a_stored_table_is_learned_as_by_rpart(claim: str, place: int) -> None:
    pair, options, reply = CASES[claim][place]
    found = compare(pair, options, reply)
    assert not found, f"{claim} {place}: {found}"


def test_the_sample_has_weights_priors_losses_and_missing_values() -> None:
    cases = [case for cases in CASES.values() for case in cases]
    assert sum(pair.training.weights is not None for pair, _, _ in cases) >= 10
    assert sum(options.priors is not None for _, options, _ in cases) >= 10
    assert sum(options.loss is not None for _, options, _ in cases) >= 10
    assert sum(bool(reply.surrogates) for _, _, reply in cases) >= 10


def first(claim: str) -> tuple[Drawn, Options, Reply]:
    return CASES[claim][0]


def test_a_spoiled_reply_is_a_difference() -> None:
    pair, options, reply = first("class, weights")
    spoiled = [
        ("text", replace(reply, text=reply.text.replace("root", "rot", 1))),
        ("table", replace(reply, table=[(row[0] + 1e-6, *row[1:]) for row in reply.table])),
        ("importance", replace(reply, importance={name: 1.00001 * value for name, value in reply.importance.items()})),
        ("surrogates", replace(reply, surrogates=[*reply.surrogates, (1, "x0", 0.5, 0.9, 0.5)])),
        ("predictions", replace(reply, answers=[tuple(value + 1e-6 for value in row) for row in reply.answers])),
    ]
    for part, other in spoiled:
        found = compare(pair, options, other)
        assert getattr(found, part), part


def test_by_default_a_weight_is_a_repeated_row() -> None:
    """Weights of two and twice the limits give the tree of weights of one; rpart's limits count rows."""
    pair, options, _ = first("anova")
    table = pair.training
    doubled = replace(options, min_split=2 * options.min_split, min_bucket=2 * options.min_bucket, max_surrogates=0)
    plain = estimator(table, replace(options, max_surrogates=0), compat=False).fit(table).model_
    weights = [2.0] * table.n_rows
    by_weight = estimator(table, doubled, compat=False).fit(table, sample_weight=weights).model_
    by_rows = estimator(table, doubled).fit(table, sample_weight=weights).model_
    assert by_weight.rows.tolist() == plain.rows.tolist()
    assert by_rows.n_nodes < plain.n_nodes


@pytest.mark.parametrize(
    ("name", "seed"), [("anova", 61035), ("anova, by default", 61023), ("anova, by default", 61269)]
)
def test_nodes_of_equal_numbers_are_split_as_in_rpart(name: str, seed: int) -> None:
    """If all gains are rounding errors, the first of equal ones is taken; rpart agrees with the naive program."""
    pair, options = next(claim for claim in CLAIMS if claim.name == name).case(seed)
    learned = estimator(pair.training, options).fit(pair.training)
    growth = Growth(
        cp=options.cp,
        min_split=options.min_split,
        min_bucket=options.min_bucket,
        max_surrogates=options.max_surrogates,
    )
    naive = described(from_table(pair.training, growth), pair.training)
    printed = [match for match in map(LINE.fullmatch, text(learned, style="rpart").split("\n")) if match]
    assert [(int(match["number"]), match["words"]) for match in printed] == [
        (node.number, words) for node, words in naive
    ]
