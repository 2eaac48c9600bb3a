"""Parts of SVG: safe text with an estimated width, headings, short numbers, whole documents.

The width of a letter on the reader's machine is unknown; a generous estimate for common fonts is used.
"""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from hornbeam.show.pictures.palette import LIGHT
from hornbeam.show.texts.wording import printable, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.show.pictures.palette import Theme

FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
# Widths of letters in a wide sans-serif font, relative to the font size.
LETTER_WIDTHS = {
    0.34: "ijlI.,:;|'! ·",
    0.42: 'tfr-()[]{}/\\"',
    0.64: "0123456789abcdeghknopqsuvxyz_?*#$",
    0.87: "wMO@&+=<>≤≥≠±~^%CDGHNQmU",
    1.02: "W—…",
}
WIDTH_OF = {letter: wide for wide, letters in LETTER_WIDTHS.items() for letter in letters}
OTHER_WIDTH, DOUBLE_WIDTH = 0.72, 1.05
BOLD_MORE = 1.12
ROUND = (1, 2, 2.5, 5, 10)  # steps of an axis, times a power of ten
TITLE, TEXT, SMALL = 16.0, 13.0, 11.5  # font sizes
MARGIN = 22.0


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Estimate how wide a line of text is, in pixels."""
    total = sum(
        WIDTH_OF.get(letter, DOUBLE_WIDTH if width(letter) > 1 else OTHER_WIDTH * width(letter)) for letter in text
    )
    return total * size * (BOLD_MORE if bold else 1.0)


def write_text(
    text: str, x: float, y: float, size: float, *, bold: bool = False, color: str = "", anchor: str = ""
) -> str:
    """Write one line of text whose baseline starts at x, y (or has its middle or end there)."""
    extra = f' fill="{color}"' if color else ""
    extra += ' font-weight="600"' if bold else ""
    extra += f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{short(x)}" y="{short(y)}" font-size="{short(size)}"{extra}>{safe(text)}</text>'


def heading(title: str, subtitle: str, theme: Theme) -> tuple[list[str], float, float]:
    """Write a title and a subtitle, where there are any.

    Returns
    -------
    lines, y, right : list of str, float, float
        What is drawn, the baseline of the last line, and how far to the right the text reaches.
    """
    y, lines = MARGIN, []
    if title:
        y += TITLE
        lines.append(write_text(title, MARGIN, y, TITLE, bold=True))
    if subtitle:
        y += 1.5 * TEXT
        lines.append(write_text(subtitle, MARGIN, y, SMALL, color=theme.muted))
    return lines, y, MARGIN + max(text_width(title, TITLE, bold=True), text_width(subtitle, SMALL))


def box(x: float, y: float, wide: float, high: float) -> str:
    """Write the position and the size of a rectangle as attributes."""
    return f'x="{short(x)}" y="{short(y)}" width="{short(wide)}" height="{short(high)}"'


def document(
    wide: float, high: float, title: str, lines: Sequence[str], theme: Theme = LIGHT, *, description: str = ""
) -> str:
    """Write a complete picture, for a file or a web page; title and description are for screen readers."""
    size = f'width="{short(wide)}" height="{short(high)}"'
    style = f'role="img" font-family="{FONT}" fill="{theme.ink}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {short(wide)} {short(high)}" {size} {style}>'
    texts = [f"<title>{safe(title)}</title>", *([f"<desc>{safe(description)}</desc>"] if description else [])]
    return "\n".join([head, *texts, f'<rect {size} fill="{theme.ground}"/>', *lines, "</svg>"])


def safe(text: str) -> str:
    r"""Make text from data safe in SVG: nothing in it is markup, and no character is forbidden in XML.

    Examples
    --------
    >>> safe('<b title="x">\x00')
    '&lt;b title=&quot;x&quot;&gt;\\x00'
    """
    return escape(printable(text), quote=True)


def safe_lines(lines: list[str]) -> str:
    """Write several lines for a tooltip."""
    return "\n".join(map(safe, lines))


def round_numbers(low: float, high: float, about: int) -> list[float]:
    """Return about `about` round numbers, from at most `low` to at least `high`.

    Examples
    --------
    >>> round_numbers(4.3, 7.9, 5)
    [4.0, 5.0, 6.0, 7.0, 8.0]
    """
    if high <= low:
        low, high = low - (abs(low) or 1.0) / 100, high + (abs(high) or 1.0) / 100
    least = (high - low) / about
    power = 10.0 ** math.floor(math.log10(least))
    step = next(nice * power for nice in ROUND if nice * power >= least * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


def short(value: float) -> str:
    """Write a coordinate with at most two decimals.

    Examples
    --------
    >>> short(12.0), short(0.126), short(-0.001)
    ('12', '0.13', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
