"""Pieces of HTML. Every text from data is escaped with `safe`.

A page's scripts are fixed texts of ours; data reaches them as JSON in a block that is never run. The page's policy
names the scripts and styles by their hashes, so that nothing else runs, even if some text was not escaped.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

from hornbeam.show.pictures.svg_parts import safe, short

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
SIZE = re.compile(r'(?<= )width="([0-9.]+)" height="([0-9.]+)"')  # the first is that of the whole picture
MOST_SCALED = 360.0  # the width of a picture that can be scaled to the width of a phone
FEW_COLUMNS = 4  # a table with more is not fitted to the width of a phone
LONG_CELL = 60  # characters, as in an equation
SCALE = 1.2  # scale of other pictures, if there is room
SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def section(key: str, title: str, *parts: str, kind: str = "") -> str:
    """Write a section with a heading; `parts` are markup."""
    extra = f' class="{kind}"' if kind else ""
    return f'<section aria-labelledby="{key}"{extra}>\n<h2 id="{key}">{safe(title)}</h2>\n{lines(parts)}\n</section>'


def lines(parts: Iterable[str]) -> str:
    """Join lines of markup, without empty ones."""
    return "\n".join(part for part in parts if part)


def paragraph(text: str) -> str:
    """Write a paragraph of plain text."""
    return f"<p>{safe(text)}</p>"


def table(
    caption: str,
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Sequence[int] = (),
    attributes: Sequence[str] = (),
) -> str:
    """Write a table whose first column names its rows.

    Parameters
    ----------
    caption : str
        Plain text.
    head : sequence of str
        Plain texts, one per column.
    rows : iterable of sequences of str
        Cells, which are markup.
    numbers : sequence of int
        Columns of numbers, aligned right.
    attributes : sequence of str
        Markup for the tag of each row, one per row, if any.
    """

    def look(column: int) -> str:
        return ' class="n"' if column in numbers else ""

    rows = list(rows)
    wide = len(head) > FEW_COLUMNS
    # on a phone, rows of a wide table or with equations become blocks that repeat the heads; a matrix scrolls instead
    if any("data-key" in one for one in attributes):
        stacked = wide or any(len(cell) > LONG_CELL for row in rows for cell in row[1:])
    else:
        stacked = wide and [row[0] for row in rows] != list(map(safe, head[1:]))

    def named(column: int) -> str:
        return f' data-head="{safe(head[column])}"' if stacked else ""

    heads = "".join(f'<th scope="col"{look(place)}>{safe(word)}</th>' for place, word in enumerate(head))
    body = []
    for number, row in enumerate(rows):
        cells = [f'<th scope="row"{look(0)}>{row[0]}</th>']
        cells += [f"<td{look(place)}{named(place)}>{cell}</td>" for place, cell in enumerate(row[1:], 1)]
        extra = f" {attributes[number]}" if attributes and attributes[number] else ""
        body.append(f"<tr{extra}>{''.join(cells)}</tr>")
    shown = f'<p class="caption">{safe(caption)}</p>\n' if caption else ""
    name = safe(caption or " ".join(head))
    written = "\n".join(body)
    many = ' class="stacked"' if stacked else ' class="many"' if wide else ""
    return (
        f'{shown}<div class="scroll" tabindex="0" role="region" aria-label="{name}">\n'
        f'<table{many} aria-label="{name}">\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{written}\n</tbody>\n</table>\n</div>"
    )


def figure(picture: str, caption: str = "") -> str:
    """Write a picture, which is markup, with a caption of plain text; a wide one scrolls in its own box."""
    below = f"\n<figcaption>{safe(caption)}</figcaption>" if caption else ""
    found = SIZE.search(picture)
    if found is None or float(found[1]) <= MOST_SCALED:
        larger = SIZE.sub(
            lambda size: 'width="{}" height="{}"'.format(*(short(SCALE * float(one)) for one in size.groups())),
            picture,
            count=1,
        )
        return f"<figure>\n{larger}{below}\n</figure>"
    box = '<div class="scroll" tabindex="0" role="region" aria-label="a wide picture">'
    return f'<figure class="large">\n{box}\n{picture}\n</div>{below}\n</figure>'


def details(summary: str, body: str, *, opened: bool = False) -> str:
    """Write markup that is folded behind a line of plain text."""
    return f"<details{' open' if opened else ''}>\n<summary>{safe(summary)}</summary>\n{body}\n</details>"


def share_bar(share: float) -> str:
    """Draw a small bar that is hidden from screen readers: the number is beside it."""
    wide = 96 * min(max(share, 0.0), 1.0)
    return (
        '<svg class="bar" viewBox="0 0 96 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="96" height="10" rx="2"/><rect width="{short(wide)}" height="10" rx="2"/></svg>'
    )


def interval_bar(
    mean: float, interval: tuple[float, float], scale: tuple[float, float], text: str, *, from_zero: bool = False
) -> str:
    """Draw a dot with its interval on a common scale, for a cell of a table; `text` is its tooltip.

    Parameters
    ----------
    mean : float
        Where the dot is.
    interval : pair of float
        Where the line begins and ends.
    scale : pair of float
        The numbers at the left and the right end.
    text : str
        What it shows, in plain text.
    from_zero : bool
        Whether a bar reaches from zero to the dot.
    """
    low, high = scale
    reach = (high - low) or 1.0

    def across(value: float) -> float:
        return 5 + 150 * min(max((value - low) / reach, 0.0), 1.0)

    start, middle, end = (across(value) for value in (interval[0], mean, interval[1]))
    zero = across(0.0)
    bar = f'<rect x="{short(min(zero, middle))}" y="4" width="{short(abs(middle - zero))}" height="10"/>'
    return (
        f'<svg class="interval" viewBox="0 0 160 18" role="img"><title>{safe(text)}</title>'
        f'{bar if from_zero else ""}<path d="M{short(start)} 9H{short(end)}"/>'
        f'<circle cx="{short(middle)}" cy="9" r="4"/></svg>'
    )


def json_block(key: str, plain: Any) -> str:  # noqa: ANN401 - plain data
    r"""Write data for a script in a block that is not run and that no text in the data can end.

    Examples
    --------
    >>> json_block("data", ["</script>"])
    '<script type="application/json" id="data">["\\u003c/script\\u003e"]</script>'
    """
    text = json.dumps(plain, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return f'<script type="application/json" id="{key}">{text}</script>'


def policy(markup: str) -> str:
    """Return the content security policy: only the scripts and styles of the page, by their hashes, and no requests."""
    scripts, styles = (
        " ".join(dict.fromkeys(f"'sha256-{_hash(text)}'" for text in found.findall(markup))) or "'none'"
        for found in (SCRIPT, STYLE)
    )
    return f"default-src 'none'; script-src {scripts}; style-src {styles}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
