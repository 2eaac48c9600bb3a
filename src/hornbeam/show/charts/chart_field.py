"""The frame of a chart: axes with round numbers, and the field between them. Plain SVG."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.show.pictures.marks import color_of, mark
from hornbeam.show.pictures.svg_parts import (
    MARGIN,
    SMALL,
    TEXT,
    document,
    heading,
    round_numbers,
    short,
    text_width,
    write_text,
)
from hornbeam.show.texts.wording import printable, short_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hornbeam.core.base.arrays import Floats
    from hornbeam.show.pictures.palette import Theme

    Range = tuple[float, float]

PAD, GAP = 8.0, 22.0
WIDE, HIGH = 400.0, 250.0  # size of the field
TICKS = 5
NAME_CHARS, LEGEND_CHARS, TICK_CHARS = 34, 30, 16  # maximum number of characters
DASHES = ("", "7 4", "2 3", "9 3 2 3", "12 4", "4 2", "1 4")
RADIUS = 4.0  # of marks


@dataclass(frozen=True)
class Axis:
    """A numeric axis: its range, its ticks, and how they are written (by default as short numbers)."""

    low: float
    high: float
    ticks: list[float]
    log: bool = False
    labels: Mapping[float, str] | None = None

    def text(self, tick: float) -> str:
        """The text of a tick."""
        return short_number(tick) if self.labels is None else self.labels[tick]

    def share(self, value: float) -> float:
        """The position of a number on the axis, from 0 to 1."""
        low, high = (math.log10(self.low), math.log10(self.high)) if self.log else (self.low, self.high)
        at = math.log10(value) if self.log else value
        return (at - low) / (high - low)


class Field:
    """A field between two axes, to be filled."""

    def __init__(
        self,
        x: Axis,
        y: Axis,
        title: str,
        subtitle: str,
        x_label: str,
        y_label: str,
        theme: Theme,
        size: tuple[float, float] = (WIDE, HIGH),
        *,
        inset: float = PAD,
    ) -> None:
        self.inset = inset
        self.x, self.y, self.title, self.theme = x, y, title, theme
        self.wide, self.high = size
        self.lines, top, needed = heading(title, subtitle, theme)
        top += 1.9 * TEXT
        texts = [y.text(tick) for tick in y.ticks]
        self.left = MARGIN + max(map(small_width, texts), default=0.0) + PAD
        self.lines.append(write_text(y_label, MARGIN, top, SMALL, color=theme.muted))
        self.top = top + SMALL
        self.right = max(self.left + self.wide, needed, MARGIN + small_width(y_label))
        taken = math.inf  # labels that would overlap are left out
        for tick, words in zip(y.ticks, texts, strict=True):
            height = self.height(tick)
            self.add(f'<path d="M{short(self.left)} {short(height)}h{short(self.wide)}" stroke="{theme.faint}"/>')
            if height < taken - SMALL:
                base = height + 0.35 * SMALL
                self.add(write_text(words, self.left - PAD, base, SMALL, color=theme.muted, anchor="end"))
                taken = height
        foot = self.top + self.high
        self.add(f'<path d="M{short(self.left)} {short(foot)}h{short(self.wide)}" stroke="{theme.muted}"/>')
        self.add(*below(x, self.across, foot, theme))
        self.bottom = foot + 3.2 * SMALL
        self.add(write_text(x_label, self.left + self.wide / 2, self.bottom, SMALL, color=theme.muted, anchor="middle"))

    def add(self, *lines: str) -> None:
        """Add drawn lines."""
        self.lines += [line for line in lines if line]

    def across(self, value: float) -> float:
        """The horizontal position of a number."""
        return self.left + self.inset + (self.wide - 2 * self.inset) * self.x.share(value)

    def height(self, value: float) -> float:
        """The vertical position of a number."""
        return self.top + self.high * (1 - self.y.share(value))

    def at(self, x: float, y: float, sep: str = " ") -> str:
        """A point in the field, for a path."""
        return f"{short(self.across(x))}{sep}{short(self.height(y))}"

    def diagonal(self) -> str:
        """Draw a dashed line where both numbers are equal."""
        low, high = max(self.x.low, self.y.low), min(self.x.high, self.y.high)
        return dashed(f"M{self.at(low, low)}L{self.at(high, high)}", self.theme)

    def legend(
        self,
        names: Sequence[str],
        *,
        lines: bool = False,
        colors: Sequence[str] | None = None,
        marks: Sequence[int] | None = None,
    ) -> None:
        """Name the series, to the right of the field; by default in the order of colors and marks."""
        x, y = self.left + self.wide + GAP, self.top + SMALL
        for i, name in enumerate(names):
            color = color_of(i, self.theme) if colors is None else colors[i]
            label = printable(str(name), LEGEND_CHARS)
            if lines:
                dash = DASHES[i % len(DASHES)]
                look = f'stroke="{color}" stroke-width="2"' + (f' stroke-dasharray="{dash}"' if dash else "")
                self.add(f'<path d="M{short(x)} {short(y)}h26" {look}/>')
            outline = mark(i if marks is None else marks[i], x + 13, y, RADIUS)
            self.add(f'<path d="{outline}" fill="{color}"/>')
            self.add(write_text(label, x + 34, y + 0.35 * SMALL, SMALL))
            self.reach(x + 34, label)
            y += 1.6 * SMALL
        self.bottom = max(self.bottom, y)

    def reach(self, x: float, words: str) -> None:
        """Make the picture wide enough for text that starts at x."""
        self.right = max(self.right, x + small_width(words))

    def write(self, description: str) -> str:
        """Write the complete picture."""
        wide, high = self.right + MARGIN, self.bottom + MARGIN
        return document(wide, high, self.title, self.lines, self.theme, description=description)


def small_width(text: str) -> float:
    """Width of a small text."""
    return text_width(text, SMALL)


def axis_of(values: Sequence[Floats], within: Range | None, *, log: bool = False, tight: bool = False) -> Axis:
    """Make an axis for all these numbers; a tight one ends at the extreme values, not at round numbers."""
    every = np.concatenate([*values, np.asarray(within or (), np.float64)])
    every = every[np.isfinite(every)]
    low, high = (float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)
    if log:
        if low <= 0:
            raise ValueError(f"a logarithmic axis was given the number {short_number(low)}; expected numbers above 0")
        low, high = (low, high) if high > low else (low / 10, high * 10)
        powers = [10.0**power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
        steps = [power * step for power in powers for step in ((1, 2, 5) if len(powers) <= TICKS else (1,))]
        return Axis(low, high, [tick for tick in steps if low <= tick <= high] or [low, high], log=True)
    ticks = round_numbers(low, high, TICKS)
    if high <= low:
        low, high = ticks[0], ticks[-1]
    if not tight and within is None:
        low, high = min(low, ticks[0]), max(high, ticks[-1])
    slack = 1e-9 * (high - low)
    return Axis(low, high, [tick for tick in ticks if low - slack <= tick <= high + slack])


def category_axis(categories: Sequence[str]) -> Axis:
    """Make an axis of categories, each of width 1 and centered on its code."""
    labels = {float(code): printable(name, TICK_CHARS) for code, name in enumerate(categories)}
    return Axis(-0.5, len(labels) - 0.5, list(labels), labels=labels)


def below(x: Axis, across: Callable[[float], float], foot: float, theme: Theme) -> list[str]:
    """Write the numbers below a field; where they would overlap, every second one, or every third, and so on."""
    places = [(x.text(tick), across(tick)) for tick in x.ticks]
    widths = [small_width(words) / 2 for words, _ in places]

    def fits(step: int) -> bool:
        chosen = range(0, len(places), step)
        return all(
            places[one][1] + widths[one] + PAD / 2 < places[other][1] - widths[other]
            for one, other in itertools.pairwise(chosen)
        )

    step = next((step for step in range(1, len(places)) if fits(step)), max(len(places), 1))
    return [
        write_text(words, at, foot + 1.5 * SMALL, SMALL, color=theme.muted, anchor="middle")
        for words, at in places[::step]
    ]


def dashed(way: str, theme: Theme) -> str:
    """Draw a reference line."""
    return f'<path d="{way}" fill="none" stroke="{theme.muted}" stroke-width="1.2" stroke-dasharray="5 4"/>'
