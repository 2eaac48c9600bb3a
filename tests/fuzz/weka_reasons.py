"""Why a result may differ from WEKA's.

Each reason is checked by code on the two results, and must account for the whole difference. It stands in
docs/compat.md, "Known differences from WEKA", under the words that `REASONS` has beside the check.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from fuzz.random_tables import Drawn
from fuzz.weka_claims import identical
from reference.concepts_beside import Beside, Remembered

import hornbeam
from hornbeam.core.neighbors.kstar import rates
from hornbeam.data.schema import Numeric
from hornbeam.data.table import Table
from hornbeam.learn.base.estimator import has_target
from hornbeam.learn.compat.weka import JavaRandom, shuffled
from hornbeam.learn.linear.terms import columns_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from fuzz.weka_claims import Claim, Found

FIGURES = re.compile(r"\((\d+\.\d+)(?:/(\d+\.\d+))?\)")
TERM = re.compile(r"^ *(-?[0-9.]+) *(?:\* (.*) \+)?$")
LAST_DIGIT = 0.01 + 1e-9  # of printed weights
ROUNDING = 1e-12  # of printed sums of weights, over their size
SAME = 1e-9
COEFFICIENT_DIGITS = 3e-4  # three units in the last printed digit; of large ones, over their size
SAME_FIT = 1e-4  # of predictions, over the spread of the target: what is left to the ridge
NEAR_TIE = 1e-6  # of probabilities
LEAST_LOGARITHM = -708.39  # of a number with all its digits
LOST_LOGARITHM = -745.13  # of a number above zero
TIE = 1e-12  # of utilities
REMAINDER = 1e-6  # of a row: WEKA's PART ignores the rest of a row once it is this small
SHUFFLED_BY = 42  # the seed of WEKA's COBWEB
EXACT = 64  # sums of multiples of 1/64 are exact
STOPPED = ("Can't normalize array. Sum is zero.", "Should never happen: ")
REFUSED = ("Not enough training instances", "Cannot handle", "No training instances", "No attributes found")


@dataclass(frozen=True)
class Case:
    """Everything that is known about one difference."""

    claim: Claim
    pair: Drawn
    found: Found
    reference: Found
    again: Callable[[Drawn], tuple[Found, Found]]  # asks both sides about another pair of tables

    @property
    def both(self) -> bool:
        """Whether neither side refused."""
        return not self.found.error and not self.reference.error

    @property
    def differing(self) -> np.ndarray:
        """The asked rows whose predictions differ."""
        if self.found.rows.shape != self.reference.rows.shape or not self.found.rows.size:
            return np.arange(len(self.found.rows))
        close = np.isclose(self.found.rows, self.reference.rows, rtol=SAME, atol=SAME, equal_nan=True)
        return np.flatnonzero(~close.all(axis=1))


def explained(case: Case) -> str | None:
    """The first reason that accounts for the whole difference; None if there is none."""
    return next((name for name, check in REASONS.items() if check(case)), None)


def _stopped_there(case: Case) -> bool:
    return not case.found.error and any(words in case.reference.error for words in STOPPED)


def _refused_there(case: Case) -> bool:
    return not case.found.error and any(words in case.reference.error for words in REFUSED)


def _refused_here(case: Case) -> bool:
    return case.pair.training.weights is not None and "takes no row weights" in case.found.error


def _nothing_to_learn(case: Case) -> bool:
    """No row has a target: hornbeam has nothing to learn from, WEKA's IBk predicts 0 for every row."""
    return "no rows to learn from" in case.found.error and not has_target(case.pair.training).any()


def _figures_differ_by(case: Case, most: Callable[[float], float]) -> bool:
    """Whether the models are the same but for printed weights, which differ by no more than said."""
    if not case.both or len(case.differing):
        return False
    ours, theirs = case.found.text, case.reference.text
    if FIGURES.sub("()", ours) != FIGURES.sub("()", theirs):
        return False
    pairs = zip(FIGURES.findall(ours), FIGURES.findall(theirs), strict=True)
    numbers = [(float(a or 0), float(b or 0)) for one, other in pairs for a, b in zip(one, other, strict=True)]
    return all(abs(a - b) <= most(max(a, b)) for a, b in numbers)


def _last_digit(case: Case) -> bool:
    return not case.claim.name.startswith("JRip") and _figures_differ_by(case, lambda _: LAST_DIGIT)


def _digits_of_sums(case: Case) -> bool:
    if not case.claim.name.startswith("JRip") or case.pair.training.weights is None:
        return False
    whole = float(case.pair.training.weights.sum())
    return _figures_differ_by(case, lambda _: ROUNDING * whole)


def _inexact_weights(case: Case) -> bool:
    """The sides agree once weights are rounded so that their sums are exact."""
    if case.pair.training.weights is None or not (case.pair.training.weights * EXACT % 1).any():
        return False
    one, other = case.again(Drawn(_exact(case.pair.training), _exact(case.pair.asked)))
    return identical(one, other)


def _exact(table: Table) -> Table:
    place = table.schema.with_role("weight")
    assert place is not None
    columns = list(table.columns)
    columns[place] = np.maximum(np.round(columns[place] * EXACT), 1) / EXACT
    return Table(table.schema, columns)


def _terms_of(text: str) -> list[tuple[str, float]]:
    """The terms of a printed equation: name and coefficient; "" for the intercept."""
    found = map(TERM.match, text.split("\n"))
    return [(each[2] or "", float(each[1])) for each in found if each is not None]


def _same_fit(case: Case) -> bool:
    """Whether both equations give the training rows the same numbers."""
    known = case.pair.training.take(has_target(case.pair.training))
    one, other = case.again(Drawn(case.pair.training, known))
    spread = float(np.ptp(known.target_values()))
    return bool(np.abs(one.rows - other.rows).max() <= SAME_FIT * max(spread, 1.0))


def _constant_terms(case: Case) -> bool:
    """The equations have the same terms, but for columns that do not vary and terms with the coefficient 0.

    A coefficient that only rounding gives to such a column can be large. The last digits of the other terms then differ
    too; without these columns, the sides agree or have another reason.
    """
    if not case.both or not case.claim.name.startswith("LinearRegression"):
        return False
    constant = _constant_columns(case.pair.training.take(has_target(case.pair.training)))
    ours, theirs = _terms_of(case.found.text)[:-1], _terms_of(case.reference.text)[:-1]

    def varying(terms: list[tuple[str, float]]) -> list[tuple[str, float]]:
        return [term for term in terms if term[0].partition("=")[0] not in constant and term[1] != 0]

    one, other = varying(ours), varying(theirs)
    if one == other:
        return ours != theirs and _same_fit(case)
    if not _close(one, other) or [*one, *other] == [term for term in (*ours, *theirs) if term[1] != 0]:
        return False
    kept = [name for name in case.pair.training.schema.names if name not in constant]
    pair = Drawn(case.pair.training.select(kept), case.pair.asked.select(kept))
    if not pair.training.schema.features or not _same_fit(case):
        return False
    rest = Case(case.claim, pair, *case.again(pair), case.again)
    return identical(rest.found, rest.reference) or _collinear(rest) or _twin_terms(rest)


def _constant_columns(training: Table) -> set[str]:
    """The names of the features whose known values are all the same."""
    found = set()
    for place in training.schema.features:
        values = training.columns[place]
        known = values[values >= 0] if values.dtype.kind == "i" else values[~np.isnan(values)]
        if len(np.unique(known)) <= 1:
            found.add(training.schema.columns[place].name)
    return found


def _close(ours: list[tuple[str, float]], theirs: list[tuple[str, float]]) -> bool:
    """Whether equations have the same terms, with coefficients that differ in the last printed digits at most."""
    return [name for name, _ in ours] == [name for name, _ in theirs] and all(
        abs(a - b) <= COEFFICIENT_DIGITS * max(1.0, abs(b)) for (_, a), (_, b) in zip(ours, theirs, strict=True)
    )


def _collinear(case: Case) -> bool:
    """Terms make up one another: the fit is the same, with coefficients that differ in the last printed digits.

    Where terms are selected greedily, other terms of the same fit may have stayed.
    """
    if not case.both or not case.claim.name.startswith("LinearRegression"):
        return False
    ours, theirs = _terms_of(case.found.text), _terms_of(case.reference.text)
    same_names = [name for name, _ in ours] == [name for name, _ in theirs]
    if not (_close(ours, theirs) if same_names else "-S 2" in case.claim.options):
        return False
    training = case.pair.training.take(has_target(case.pair.training))
    columns = columns_of([term.factors for term in case.found.model.terms], training)
    matrix = np.column_stack([*(column[:] for column in columns), np.ones(training.n_rows)])
    return int(np.linalg.matrix_rank(matrix)) < matrix.shape[1] and _same_fit(case)


def _twin_terms(case: Case) -> bool:
    """Terms that differ only by categories without rows: they are the same column, and rounding decides which stays."""
    if not case.both or not case.claim.name.startswith("LinearRegression"):
        return False
    ours, theirs = _terms_of(case.found.text), _terms_of(case.reference.text)
    training = case.pair.training.take(has_target(case.pair.training))

    def alike(one: tuple[str, float], other: tuple[str, float]) -> bool:
        close = abs(one[1] - other[1]) <= COEFFICIENT_DIGITS * max(1.0, abs(other[1]))
        return close and (one[0] == other[0] or _same_rows(training, one[0], other[0]))

    return len(ours) == len(theirs) and all(map(alike, ours, theirs)) and _same_fit(case)


def _same_rows(table: Table, one: str, other: str) -> bool:
    """Whether two terms of one nominal column hold for the same rows."""
    (name, _, first), (again, _, second) = one.partition("="), other.partition("=")
    if name != again or name not in table.schema.names:
        return False
    place = table.schema.names.index(name)
    column = table.schema.columns[place]
    if isinstance(column, Numeric):
        return False
    apart = set(first.split(",")) ^ set(second.split(","))
    seen = {column.categories[code] for code in np.unique(table.columns[place]) if code >= 0}
    return not apart & seen


def _small_remainder(case: Case) -> bool:
    """PART: WEKA predicts as the rules do that come before all but 0.000001 of a row is decided."""
    if not case.claim.name.startswith("PART") or not case.both or case.found.text != case.reference.text:
        return False
    rules, asked = case.found.model, case.pair.asked.take(case.differing)
    left, shares = np.ones(asked.n_rows), np.zeros(case.reference.rows[case.differing].shape)
    for rule in (*rules.rules, rules.default):
        taken = np.where(left > REMAINDER, left * rule.holds(asked), 0.0)
        shares += taken[:, np.newaxis] * rule.value / rule.value.sum()
        left -= taken
    return bool(np.allclose(shares, case.reference.rows[case.differing], rtol=SAME, atol=SAME))


def _equally_far(case: Case) -> bool:
    """K*: rows that differ have a number from which all known numbers of its column are equally far."""
    if not case.claim.name.startswith("KStar") or not case.both:
        return False
    training, asked = case.pair.training.take(has_target(case.pair.training)), case.pair.asked
    places = [i for i in training.schema.features if isinstance(training.schema.columns[i], Numeric)]

    def equally_far(row: int) -> bool:
        for place in places:
            away = np.abs(training.columns[place] - asked.columns[place][row])
            known = away[~np.isnan(away)]
            if 0 < len(known) < training.n_rows and np.ptp(known) <= SAME * known.max():
                return True
        return False

    return all(map(equally_far, case.differing.tolist()))


def _beyond_numbers(case: Case) -> bool:
    """K*: the known numbers of a column are so far from that of the row that WEKA's likelihoods or squares underflow.

    With a number that is near, both programs predict the same class for the row.
    """
    if not case.claim.name.startswith("KStar") or not case.both:
        return False
    training = case.pair.training.take(has_target(case.pair.training))
    columns = [np.array(column) for column in case.pair.asked.columns]
    for row in case.differing.tolist():
        beyond = [i for i in training.schema.features if _leaves_range(training, i, float(columns[i][row]))]
        if not beyond:
            return False
        for place in beyond:
            known = training.columns[place][training.known(place)]
            columns[place][row] = known[np.abs(known - columns[place][row]).argmin()]
    near = case.pair.asked.replaced(case.pair.asked.schema, columns, ())
    found, reference = case.again(Drawn(case.pair.training, near))
    return bool((found.rows[case.differing, 0] == reference.rows[case.differing, 0]).all())


def _leaves_range(training: Table, place: int, asked: float) -> bool:
    """Whether WEKA's likelihoods of a column, s exp(-2 s distance), leave the range of numbers in its search for s.

    It needs the sum of their squares. If all n are equally far, there is no search: s is 1, and each is divided by n.
    """
    if not isinstance(training.schema.columns[place], Numeric) or np.isnan(asked):
        return False
    values, counts = np.unique(training.columns[place][training.known(place)], return_counts=True)
    away = np.abs(values - asked)
    if not len(values):
        return False
    if np.ptp(away) <= SAME * away.max():
        return bool(-2.0 * away.min() - np.log(counts.sum()) < LOST_LOGARITHM)
    rate, lost = np.empty(1), np.empty(1)
    rates(
        np.array([asked]), values, counts.astype(np.float64), hornbeam.KStarClassifier().blend, 0.0, 0.0, 0, rate, lost
    )
    return bool(2.0 * (np.log(rate[0] / 2.0) - rate[0] * away.min()) < LEAST_LOGARITHM)


def _near_tie(case: Case) -> bool:
    """K*: the two classes are as likely as each other on both sides, up to rounding."""
    if not case.claim.name.startswith("KStar") or not case.both:
        return False

    def near(shares: np.ndarray, row: int) -> bool:
        one, other = int(case.found.rows[row, 0]), int(case.reference.rows[row, 0])
        return bool(abs(shares[row, one] - shares[row, other]) <= NEAR_TIE)

    return all(near(case.found.shares, row) and near(case.reference.shares, row) for row in case.differing.tolist())


def _after_a_tie(case: Case) -> bool:
    """COBWEB: the trees are the same until a row comes for which two ways have the same utility, but for rounding."""
    if case.claim.compared != "clusters" or not case.both:
        return False
    table = case.pair.training
    order = list(map(int, shuffled(table.n_rows, JavaRandom(SHUFFLED_BY))))
    for many in range(2, table.n_rows + 1):
        rows = np.empty(many, np.int64)
        rows[shuffled(many, JavaRandom(SHUFFLED_BY))] = order[:many]  # so that WEKA's shuffle gives this order
        if not identical(*case.again(Drawn(table.take(rows), case.pair.asked))):
            return bool(_ties(table, order[:many]))
    return False


def _ties(table: Table, order: list[int]) -> list[float]:
    """How far apart two ways were, where they were equal but for rounding, as the rows came one after another."""
    sizes = [0 if isinstance(column, Numeric) else len(column.categories) for column in table.schema.columns]
    columns = [np.where(a < 0, np.nan, a) if size else a for a, size in zip(table.columns, sizes, strict=True)]
    values = np.array(columns, np.float64).T.tolist()
    plain = hornbeam.Cobweb()
    beside = Beside(Remembered(values, sizes, [1.0] * table.n_rows, plain.acuity, plain.cutoff))
    beside.tree(order)
    return [apart for apart in beside.ties if apart <= TIE]


REASONS: dict[str, Callable[[Case], bool]] = {
    "WEKA stops with an error": _stopped_there,
    "WEKA refuses the table": _refused_there,
    "row weights are refused here": _refused_here,
    "no row has a target": _nothing_to_learn,
    "last printed digit": _last_digit,
    "digits of printed sums": _digits_of_sums,
    "terms of columns that do not vary": _constant_terms,
    "last digits of collinear terms": _collinear,
    "categories without rows": _twin_terms,
    "a small remainder of a row": _small_remainder,
    "numbers that are equally far": _equally_far,
    "K* between two equally likely classes": _near_tie,
    "K* beyond the range of numbers": _beyond_numbers,
    "COBWEB after a tie": _after_a_tie,
    "inexact sums of weights": _inexact_weights,
}
