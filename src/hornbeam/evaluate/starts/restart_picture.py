"""Runs from many starts as a picture: histograms of their ends and steps, and how far the best solutions agree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.evaluate.starts.restart_text import answers, headline, of_figure, plural
from hornbeam.show.charts.heat_map import GAP, Cells, draw_cells
from hornbeam.show.charts.histogram import Histogram, draw_histogram
from hornbeam.show.pictures.svg_parts import MARGIN, SMALL, TEXT, document, heading, text_width, write_text
from hornbeam.show.pictures.themes import in_theme
from hornbeam.show.texts.wording import short_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.evaluate.starts.restart_study import RestartStudy
    from hornbeam.show.pictures.palette import Theme

FEWEST, MOST = 10, 40  # bars


def draw(study: RestartStudy, theme: str = "auto") -> str:
    """Draw what was found as SVG: the same bytes for the same study."""
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
    words = f"How far the best solutions agree (adjusted Rand index; {kind.figure} and {kind.begins}s beside each)"
    lines.append(write_text(words, MARGIN, top, SMALL, bold=True))
    drawn, wide, bottom = draw_cells(
        _agreement(study), MARGIN, top + 1.2 * TEXT, "solution", "solution", (0.0, 1.0), True, colors
    )
    lines += drawn
    widest = max(widest, wide, text_width(words, SMALL, bold=True))
    for told in answers(study):
        bottom += 1.6 * SMALL
        lines.append(write_text(told, MARGIN, bottom + SMALL, SMALL, color=colors.muted))
        widest = max(widest, text_width(told, SMALL))
    return document(widest + 2 * MARGIN, bottom + SMALL + MARGIN, title, lines, colors)


def _ends(study: RestartStudy) -> Histogram:
    values, kind = study.figures, study.kind
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
    return Histogram(edges.tolist(), counts.tolist(), notes, kind.figure, f"{kind.begins}s", short_number, mark)


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
    """The first solution above."""
    figures: NDArray[np.float64] = study.agreement[::-1]
    names = [str(place + 1) for place in range(len(figures))]
    beside = [
        f"{name}: {of_figure(one.figure)}, {plural(one.runs, study.kind.begins)}"
        for name, one in zip(names, study.solutions, strict=False)
    ]
    notes = [
        [f"solutions {row} and {column}: {value:.3f}" for column, value in zip(names, line, strict=True)]
        for row, line in zip(reversed(names), figures, strict=True)
    ]
    texts = [[f"{value:.2f}" for value in line] for line in figures]
    shown = [[min(max(float(value), 0.0), 1.0) for value in line] for line in figures]
    return Cells("", names, beside[::-1], shown, texts, notes)
