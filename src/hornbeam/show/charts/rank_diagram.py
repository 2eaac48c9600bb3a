"""The critical-difference diagram: average ranks of methods on a line, those that cannot be told apart joined by a bar.

J. Demšar, *Statistical comparisons of classifiers over multiple data sets*, JMLR 7 (2006). Plain SVG, the same bytes
for the same ranks.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.show.pictures.svg_parts import document, safe, short, text_width, write_text
from hornbeam.show.pictures.themes import in_theme
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.show.pictures.palette import Theme

TITLE, TEXT, SMALL = 16.0, 13.0, 11.5  # sizes of letters
MARGIN, PAD = 22.0, 8.0
WIDE = 440.0  # of the axis, at least
A_RANK = 60.0  # of the axis, for each rank
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
        Of the methods, rising; 1 is best.
    critical_difference : float
        Average ranks that differ by less cannot be told apart.
    groups : sequence of sequences of str
        Methods that cannot be told apart; those of more than one are joined.
    title, subtitle : str
        What stands above it.
    theme : {"auto", "light", "dark"}
        Colors; by default those of the page.

    Returns
    -------
    str
        A whole SVG document.

    Examples
    --------
    >>> picture = rank_diagram(["a", "b", "c"], [1.2, 1.9, 2.9], 0.8, [["a", "b"], ["c"]], "Three methods")
    >>> picture.count('class="group"'), picture.count('class="method"')
    (1, 3)
    """
    return in_theme(
        lambda colors: _draw(methods, average_ranks, critical_difference, groups, title, subtitle, colors), theme
    )


def _draw(
    methods: Sequence[str],
    average_ranks: Sequence[float],
    critical_difference: float,
    groups: Sequence[Sequence[str]],
    title: str,
    subtitle: str,
    colors: Theme,
) -> str:
    names = [printable(name, NAME_LIMIT) for name in methods]
    labels = [f"{name}  {average:.2f}" for name, average in zip(names, average_ranks, strict=True)]
    half = math.ceil(len(methods) / 2)
    left = MARGIN + max(text_width(label, TEXT) for label in labels[:half]) + 2 * PAD
    beside = max((text_width(label, TEXT) for label in labels[half:]), default=0.0) + 2 * PAD
    wide = max(WIDE, A_RANK * (len(methods) - 1))

    def across(rank: float) -> float:
        return left + wide * (rank - 1) / max(len(methods) - 1, 1)

    top, lines = MARGIN, []
    if title:
        top += TITLE
        lines.append(write_text(title, MARGIN, top, TITLE, bold=True, color=colors.ink))
    if subtitle:
        top += 1.5 * TEXT
        lines.append(write_text(subtitle, MARGIN, top, SMALL, color=colors.muted))
    # The critical difference as a bar of its own, above the axis that it is measured on.
    top += 2.4 * TEXT
    reach = wide * critical_difference / max(len(methods) - 1, 1)
    told = f"critical difference {critical_difference:.2f}"
    lines.append(write_text(told, left, top, SMALL, color=colors.muted))
    top += 0.9 * SMALL
    caps = "".join(f"M{short(at)} {short(top - 4)}v8" for at in (left, left + reach))
    lines.append(_path(f"M{short(left)} {short(top)}h{short(reach)}{caps}", colors.muted, 1.6))
    top += 2.6 * TEXT
    axis = top
    lines.append(_path(f"M{short(left)} {short(axis)}h{short(wide)}", colors.ink, 1.2))
    for rank in range(1, len(methods) + 1):
        lines.append(_path(f"M{short(across(rank))} {short(axis)}v{short(-TICK)}", colors.ink, 1.2))
        words = write_text(str(rank), across(rank), axis - TICK - 4, SMALL, anchor="middle", color=colors.ink)
        lines.append(words)
    joined = [group for group in groups if len(group) > 1]
    place = dict(zip(methods, average_ranks, strict=True))
    under = axis + BAR
    for number, group in enumerate(joined):
        start, end = across(place[group[0]]) - 3, across(place[group[-1]]) + 3
        bar = f"M{short(start)} {short(under + number * BAR)}H{short(end)}"
        note = f"not different at 5%: {', '.join(group)}"
        drawn = _path(bar, colors.categories[5], 4)
        lines.append(f'<g class="group"><title>{safe(note)}</title>{drawn}</g>')
    first = under + len(joined) * BAR + STEP
    bottom = first
    for number, label in enumerate(labels):
        on_left = number < half
        y = first + STEP * (number if on_left else len(labels) - 1 - number)
        bottom = max(bottom, y)
        x, end = across(average_ranks[number]), left - PAD if on_left else left + wide + PAD
        line = _path(f"M{short(x)} {short(axis)}V{short(y)}H{short(end)}", colors.line, 1.2)
        dot = f'<circle cx="{short(x)}" cy="{short(axis)}" r="3.5" fill="{colors.categories[0]}"/>'
        words = write_text(
            label,
            end - PAD / 2 if on_left else end + PAD / 2,
            y + 0.35 * TEXT,
            TEXT,
            anchor="end" if on_left else "",
            color=colors.ink,
        )
        lines.append(f'<g class="method"><title>{safe(label)}</title>{line}{dot}{words}</g>')
    heading = MARGIN + max(text_width(title, TITLE, bold=True), text_width(subtitle, SMALL))
    drawn_wide = max(left + max(wide, reach) + beside, left + text_width(told, SMALL), heading) + MARGIN
    words = f"{', '.join(labels)}; {told}"
    return document(drawn_wide, bottom + TEXT + MARGIN, title or "Average ranks", lines, colors, told=words)


def _path(way: str, color: str, thick: float) -> str:
    return f'<path d="{way}" fill="none" stroke="{color}" stroke-width="{short(thick)}"/>'
