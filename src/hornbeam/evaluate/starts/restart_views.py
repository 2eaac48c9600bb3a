"""Runs from many starts as text and as a picture: their results, the best solutions, and how far these agree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.in_words import percent, plural
from hornbeam.evaluate.starts.restart_study import NEAR
from hornbeam.show.charts.heat_map import GAP, Cells, draw_cells
from hornbeam.show.charts.histogram import Histogram, draw_histogram
from hornbeam.show.pictures.svg_parts import MARGIN, SMALL, TEXT, document, heading, text_width, write_text
from hornbeam.show.pictures.themes import in_theme
from hornbeam.show.texts.columns import aligned
from hornbeam.show.texts.wording import NAME_LIMIT, number_column, printable, short_number

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats
    from hornbeam.evaluate.starts.restart_study import RestartStudy
    from hornbeam.show.pictures.palette import Theme

HEADS = ("least", "lower quarter", "median", "upper quarter", "greatest", "mean")
LONG = 10**6
NOTHING = "-"
FEWEST, MOST = 10, 40  # number of bars


def write(study: RestartStudy, solutions: int | None) -> str:
    """Write the results as lines without a trailing newline."""
    kind = study.kind
    text = study.quantiles()
    rows = [["", *HEADS], [kind.measure, *map(of_figure, text[kind.measure])]]
    rows.append(["ratio to the best", *map(of_ratio, text["ratio"])])
    rows.append([kind.steps, *(f"{value:.0f}" for value in text[kind.steps][:-1]), f"{text[kind.steps][-1]:.1f}"])
    lines = [headline(study), "", *aligned(rows), "", *_table(study, solutions), ""]
    return "\n".join([*lines, *conclusions(study)])


def headline(study: RestartStudy) -> str:
    """Describe the study in one line."""
    many = plural(study.n_runs, study.kind.begins)
    drawn = many if study.seed is None else f"{many} (seed {study.seed})"
    return f"{printable(study.table, NAME_LIMIT)}: {plural(study.n_rows, 'row')}, {study.learner} from {drawn}"


def of_figure(value: float) -> str:
    """Write the final value of a run.

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


def conclusions(study: RestartStudy) -> list[str]:
    """Return the main facts about a greedy search, one per line."""
    return [*_best(study), *_alike(study), *_far(study), *_zero(study), *_cut_off(study)]


def _table(study: RestartStudy, wanted: int | None) -> list[str]:
    """The best solutions: value, number of runs, agreement with the best."""
    kind, listed = study.kind, study.solutions[: len(study.agreement) if wanted is None else max(wanted, 1)]
    rows = [["solution", kind.measure, "ratio", f"{kind.begins}s", "agrees with the first"]]
    figures = number_column([solution.score for solution in listed])
    for place, (solution, ratio) in enumerate(zip(listed, study.solution_ratios, strict=False)):
        agrees = f"{study.agreement[0, place]:.3f}" if place < len(study.agreement) else NOTHING
        rows.append([str(place + 1), figures[place], of_ratio(ratio), str(solution.runs), agrees])
    lines = aligned(rows, ())
    left = len(study.solutions) - len(listed)
    return [*lines, f"... and {left} more"] if left else lines


def _best(study: RestartStudy) -> list[str]:
    runs, word = study.solutions[0].runs, f"{study.kind.begins}s"
    if study.n_runs == 1:
        return [f"One {study.kind.begins} alone does not show how others end."]
    if runs == study.n_runs:
        return [f"All {study.n_runs} {word} led to the same solution."]
    near = int((study.ratios <= NEAR).sum())
    text = (
        f"{runs} of {study.n_runs} {word} led to the best solution, {near} ({percent(near / study.n_runs)}) within 1%"
    )
    if study.enough is None:
        return [f"{text} of the best known."]
    wanted = plural(study.enough, study.kind.begins)
    return [
        f"{text} of the best known;",
        f"at that rate, {wanted} come this near with 95% probability.",
    ]


def _alike(study: RestartStudy) -> list[str]:
    near, least = study.n_near, study.least_agreement
    if near <= 1:
        others = len(study.solutions) > 1 or not near
        return [f"No {'other ' * near}solution is within 1% of the best known."] if others else []
    compared = min(near, len(study.agreement))
    text = f"{near} solutions are within 1% of the best known"
    if least is None:
        return [f"{text}."]
    which = "they" if compared == near else f"the best {compared} of them"
    return [f"{text}; {which} agree with each other by {least:.3f} or more (adjusted Rand index)."]


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


def draw(study: RestartStudy, theme: str = "auto") -> str:
    """Draw the results as SVG: the same bytes for the same study."""
    return in_theme(lambda colors: _draw(study, colors), theme)


def _draw(study: RestartStudy, colors: Theme) -> str:
    kind, title = study.kind, headline(study)
    lines, top, right = heading(title, "", colors)
    top += 2.6 * TEXT
    left, widest, bottom = MARGIN, right - MARGIN, top
    for shown in (_ends(study), _steps(study)):
        drawn, wide, bottom = draw_histogram(shown, left, top, colors)
        lines += drawn
        left += wide + GAP
    widest = max(widest, left - GAP - MARGIN)
    top = bottom + 2.6 * TEXT
    words = f"How far the best solutions agree (adjusted Rand index; {kind.measure} and {kind.begins}s beside each)"
    lines.append(write_text(words, MARGIN, top, SMALL, bold=True))
    drawn, wide, bottom = draw_cells(
        _agreement(study), MARGIN, top + 1.2 * TEXT, "solution", "solution", (0.0, 1.0), True, colors
    )
    lines += drawn
    widest = max(widest, wide, text_width(words, SMALL, bold=True))
    for text in conclusions(study):
        bottom += 1.6 * SMALL
        lines.append(write_text(text, MARGIN, bottom + SMALL, SMALL, color=colors.muted))
        widest = max(widest, text_width(text, SMALL))
    return document(widest + 2 * MARGIN, bottom + SMALL + MARGIN, title, lines, colors)


def _ends(study: RestartStudy) -> Histogram:
    values, kind = study.scores, study.kind
    bars = min(max(math.ceil(math.sqrt(len(values))), FEWEST), MOST)
    low, high = float(values.min()), float(values.max())
    if not high > low:  # one bar in the middle
        low, high, bars = low - (abs(low) or 1.0) / 10, high + (abs(high) or 1.0) / 10, FEWEST + 1
    edges = np.linspace(low, high, bars + 1)
    counts, _ = np.histogram(values, edges)
    notes = [
        f"{of_figure(start)} to {of_figure(end)}: {plural(int(count), kind.begins)}"
        for start, end, count in zip(edges, edges[1:], counts, strict=False)
    ]
    mark = (study.best, f"best known {of_figure(study.best)}")
    return Histogram(edges.tolist(), counts.tolist(), notes, kind.measure, f"{kind.begins}s", short_number, mark)


def _steps(study: RestartStudy) -> Histogram:
    values, kind = study.steps, study.kind
    low = int(values.min())
    high = max(int(values.max()), low + FEWEST - 1)
    each = -(-(high - low + 1) // MOST)
    edges = np.arange(low, high + each + 1, each)
    counts, _ = np.histogram(values, edges - 0.5)
    notes = [
        f"{start if each == 1 else f'{start} to {start + each - 1}'} {kind.steps}: {plural(int(count), kind.begins)}"
        for start, count in zip(edges, counts, strict=False)
    ]
    places = (edges - 0.5).tolist()
    return Histogram(places, counts.tolist(), notes, kind.steps, f"{kind.begins}s", short_number, whole=True)


def _agreement(study: RestartStudy) -> Cells:
    """Draw the agreement of solutions, the first one on top."""
    figures: Floats = study.agreement[::-1]
    names = [str(place + 1) for place in range(len(figures))]
    beside = [
        f"{name}: {of_figure(one.score)}, {plural(one.runs, study.kind.begins)}"
        for name, one in zip(names, study.solutions, strict=False)
    ]
    notes = [
        [f"solutions {row} and {column}: {value:.3f}" for column, value in zip(names, line, strict=True)]
        for row, line in zip(reversed(names), figures, strict=True)
    ]
    texts = [[f"{value:.2f}" for value in line] for line in figures]
    shown = [[min(max(float(value), 0.0), 1.0) for value in line] for line in figures]
    return Cells("", names, beside[::-1], shown, texts, notes)
