"""Runs from many starts in words: how their ends are distributed, which solutions are best, and what that answers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.data.in_words import percent, plural
from hornbeam.evaluate.starts.restart_study import NEAR
from hornbeam.show.texts.columns import aligned
from hornbeam.show.texts.wording import NAME_LIMIT, number_column, printable, short_number

if TYPE_CHECKING:
    from hornbeam.evaluate.starts.restart_study import RestartStudy

HEADS = ("least", "lower quarter", "median", "upper quarter", "greatest", "mean")
LONG = 10**6
NOTHING = "-"


def write(study: RestartStudy, solutions: int | None) -> str:
    """Write what was found as lines without a line end after the last."""
    kind = study.kind
    told = study.quantiles()
    rows = [["", *HEADS], [kind.figure, *map(of_figure, told[kind.figure])]]
    rows.append(["ratio to the best", *map(of_ratio, told["ratio"])])
    rows.append([kind.steps, *(f"{value:.0f}" for value in told[kind.steps][:-1]), f"{told[kind.steps][-1]:.1f}"])
    lines = [headline(study), "", *(line.rstrip() for line in aligned(rows)), "", *_table(study, solutions), ""]
    return "\n".join([*lines, *answers(study)])


def headline(study: RestartStudy) -> str:
    """Say what was done, in a line."""
    many = plural(study.n_runs, study.kind.begins)
    drawn = many if study.seed is None else f"{many} (seed {study.seed})"
    return f"{printable(study.table, NAME_LIMIT)}: {plural(study.n_rows, 'row')}, {study.learner} from {drawn}"


def of_figure(value: float) -> str:
    """Write what a run ended with.

    Examples
    --------
    >>> of_figure(3.91469612), of_figure(-150.7731)
    ('3.9147', '-150.77')
    """
    return short_number(value, 5)


def of_ratio(value: float) -> str:
    """Write a ratio to the best.

    Examples
    --------
    >>> of_ratio(1.0), of_ratio(1.12345), of_ratio(float("inf"))
    ('1.000', '1.123', 'no limit')
    """
    if math.isinf(value):
        return "no limit"
    return f"{value:.3f}" if value < LONG else f"{value:.3g}"


def answers(study: RestartStudy) -> list[str]:
    """Answer the questions to ask about a greedy search, a line each."""
    return [*_best(study), *_alike(study), *_far(study), *_zero(study), *_cut_off(study)]


def _table(study: RestartStudy, wanted: int | None) -> list[str]:
    """The best solutions: how good, how often found, how far the same as the best."""
    kind, listed = study.kind, study.solutions[: len(study.agreement) if wanted is None else max(wanted, 1)]
    rows = [["solution", kind.figure, "ratio", f"{kind.begins}s", "agrees with the first"]]
    figures = number_column([solution.figure for solution in listed])
    for place, (solution, ratio) in enumerate(zip(listed, study.solution_ratios, strict=False)):
        agrees = f"{study.agreement[0, place]:.3f}" if place < len(study.agreement) else NOTHING
        rows.append([str(place + 1), figures[place], of_ratio(ratio), str(solution.runs), agrees])
    lines = [line.rstrip() for line in aligned(rows, ())]
    left = len(study.solutions) - len(listed)
    return [*lines, f"... and {left} more"] if left else lines


def _best(study: RestartStudy) -> list[str]:
    runs, word = study.solutions[0].runs, f"{study.kind.begins}s"
    if study.n_runs == 1:
        return [f"One {study.kind.begins} alone tells nothing of others."]
    if runs == study.n_runs:
        return [f"All {study.n_runs} {word} led to the same solution."]
    near = int((study.ratios <= NEAR).sum())
    told = (
        f"{runs} of {study.n_runs} {word} led to the best solution, {near} ({percent(near / study.n_runs)}) within 1%"
    )
    if study.enough is None:
        return [f"{told} of the best known."]
    wanted = plural(study.enough, study.kind.begins)
    return [f"{told} of the best known;", f"should that be the share, {wanted} would come so near 95 times in 100."]


def _alike(study: RestartStudy) -> list[str]:
    near, least = study.n_near, study.least_agreement
    if near <= 1:
        others = len(study.solutions) > 1 or not near
        return [f"No {'other ' * near}solution is within 1% of the best known."] if others else []
    compared = min(near, len(study.agreement))
    told = f"{near} solutions are within 1% of the best known"
    if least is None:
        return [f"{told}."]
    which = "they" if compared == near else f"the best {compared} of them"
    return [f"{told}; {which} agree with each other by {least:.3f} or more (adjusted Rand index)."]


def _far(study: RestartStudy) -> list[str]:
    mean, most = float(study.ratios.mean()), float(study.ratios.max())
    if most == 1:
        return []
    return [f"Ratio to the best known ({study.kind.ratio}): {of_ratio(mean)} on average, {of_ratio(most)} at worst."]


def _zero(study: RestartStudy) -> list[str]:
    zero = study.zero_cost
    if zero is None:
        return []
    rows = f"{plural(zero.distinct, 'different row')}, {plural(zero.clusters, 'cluster')}"
    if zero.exists is None:
        return [f"Whether a solution without error exists is not known: {rows}, and values are missing."]
    if not zero.exists:
        return [f"No solution without error exists: {rows}."]
    found = f"{zero.found} of {plural(study.n_runs, study.kind.begins)}"
    return [f"A solution without error exists ({rows}): {found} led to one."]


def _cut_off(study: RestartStudy) -> list[str]:
    many = int((~study.converged).sum())
    return [f"{plural(many, 'run')} ended only because no more steps were allowed (max_iter)."] if many else []
