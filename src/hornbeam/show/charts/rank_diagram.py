"""The critical-difference diagram: average ranks of methods; bars join those that do not differ significantly.

J. Demšar, *Statistical comparisons of classifiers over multiple data sets*, JMLR 7 (2006). Plain SVG, the same bytes
for the same ranks.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.show.pictures.svg_parts import MARGIN, SMALL, TEXT, document, heading, safe, short, text_width, write_text
from hornbeam.show.pictures.themes import in_theme
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hornbeam.show.pictures.palette import Theme

PAD = 8.0
WIDE = 440.0  # minimum width of the axis
PER_RANK = 60.0  # width of the axis per rank
STEP, BAR = 20.0, 9.0  # between names, and between bars
TICK = 6.0
NAME_LIMIT = 40


def rank_diagram(
    methods: Sequence[str],
    average_ranks: Sequence[float],
    critical_difference: float,
    groups: Sequence[Sequence[str]],
    title: str = "",
    subtitle: str = "",
    *,
    theme: str = "auto",
) -> str:
    """Draw average ranks with the critical difference.

    Parameters
    ----------
    methods : sequence of str
        Best first.
    average_ranks : sequence of float
        The average rank of each method, ascending; 1 is best.
    critical_difference : float
        Average ranks that differ by less do not differ significantly.
    groups : sequence of sequences of str
        Methods that do not differ significantly; a bar joins each group of more than one.
    title, subtitle : str
        Above the diagram.
    theme : {"auto", "light", "dark"}
        Colors; by default those of the page around the picture.

    Examples
    --------
    >>> picture = rank_diagram(["a", "b", "c"], [1.2, 1.9, 2.9], 0.8, [["a", "b"], ["c"]], "Three methods")
    >>> picture.count('class="group"'), picture.count('class="method"')
    (1, 3)
    """
    ranks = dict(zip(methods, average_ranks, strict=True))
    joined = [group for group in groups if len(group) > 1]
    return in_theme(lambda colors: _Diagram(ranks, critical_difference, joined, colors).write(title, subtitle), theme)


class _Diagram:
    """One diagram in the colors of one theme."""

    def __init__(
        self, ranks: dict[str, float], difference: float, groups: Sequence[Sequence[str]], colors: Theme
    ) -> None:
        self.ranks, self.difference, self.groups, self.colors = ranks, difference, groups, colors
        self.labels = [f"{printable(name, NAME_LIMIT)}  {rank:.2f}" for name, rank in ranks.items()]
        self.half = math.ceil(len(ranks) / 2)  # number of labels on the left
        self.left = MARGIN + max(text_width(label, TEXT) for label in self.labels[: self.half]) + 2 * PAD
        self.wide = max(WIDE, PER_RANK * (len(ranks) - 1))

    def write(self, title: str, subtitle: str) -> str:
        """Write the complete picture."""
        lines, y, right = heading(title, subtitle, self.colors)
        text = f"critical difference {self.difference:.2f}"
        reach = self.wide * self.difference / max(len(self.ranks) - 1, 1)
        y += 2.4 * TEXT
        lines.append(write_text(text, self.left, y, SMALL, color=self.colors.muted))
        y += 0.9 * SMALL
        caps = "".join(f"M{short(at)} {short(y - 4)}v8" for at in (self.left, self.left + reach))
        lines.append(_path(f"M{short(self.left)} {short(y)}h{short(reach)}{caps}", self.colors.muted, 1.6))
        axis = y + 2.6 * TEXT
        lines += self._axis(axis)
        lines += self._bars(axis + BAR)
        first = axis + (1 + len(self.groups)) * BAR + STEP
        lines += self._methods(axis, first)
        bottom = first + STEP * (self.half - 1)
        beside = max((text_width(label, TEXT) for label in self.labels[self.half :]), default=0.0) + 2 * PAD
        ends = (self.left + max(self.wide, reach) + beside, self.left + text_width(text, SMALL), right)
        description = f"{', '.join(self.labels)}; {text}"
        high = bottom + TEXT + MARGIN
        return document(max(ends) + MARGIN, high, title or "Average ranks", lines, self.colors, description=description)

    def _across(self, rank: float) -> float:
        return self.left + self.wide * (rank - 1) / max(len(self.ranks) - 1, 1)

    def _axis(self, y: float) -> Iterator[str]:
        ink = self.colors.ink
        yield _path(f"M{short(self.left)} {short(y)}h{short(self.wide)}", ink, 1.2)
        for rank in range(1, len(self.ranks) + 1):
            x = self._across(rank)
            yield _path(f"M{short(x)} {short(y)}v{short(-TICK)}", ink, 1.2)
            yield write_text(str(rank), x, y - TICK - 4, SMALL, anchor="middle", color=ink)

    def _bars(self, top: float) -> Iterator[str]:
        for i, group in enumerate(self.groups):
            start, end = self._across(self.ranks[group[0]]) - 3, self._across(self.ranks[group[-1]]) + 3
            drawn = _path(f"M{short(start)} {short(top + i * BAR)}H{short(end)}", self.colors.categories[5], 4)
            note = safe(f"not different at 5%: {', '.join(group)}")
            yield f'<g class="group"><title>{note}</title>{drawn}</g>'

    def _methods(self, axis: float, first: float) -> Iterator[str]:
        for i, (label, rank) in enumerate(zip(self.labels, self.ranks.values(), strict=True)):
            on_left = i < self.half
            y = first + STEP * (i if on_left else len(self.labels) - 1 - i)
            x, end = self._across(rank), self.left - PAD if on_left else self.left + self.wide + PAD
            line = _path(f"M{short(x)} {short(axis)}V{short(y)}H{short(end)}", self.colors.line, 1.2)
            dot = f'<circle cx="{short(x)}" cy="{short(axis)}" r="3.5" fill="{self.colors.categories[0]}"/>'
            start, anchor = (end - PAD / 2, "end") if on_left else (end + PAD / 2, "")
            words = write_text(label, start, y + 0.35 * TEXT, TEXT, anchor=anchor, color=self.colors.ink)
            yield f'<g class="method"><title>{safe(label)}</title>{line}{dot}{words}</g>'


def _path(way: str, color: str, thick: float) -> str:
    return f'<path d="{way}" fill="none" stroke="{color}" stroke-width="{short(thick)}"/>'
