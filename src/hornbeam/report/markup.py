"""Pieces of HTML. Everything that comes from data passes through `safe` on its way into a page.

A page's scripts are fixed texts of ours; data reaches them as JSON in a block that is never run. The page's policy
names the scripts and styles by their hashes, so that nothing else runs even if something slipped through.
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
SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def section(key: str, title: str, *parts: str, kind: str = "") -> str:
    """A landmark with a heading; `parts` are markup."""
    extra = f' class="{kind}"' if kind else ""
    return f'<section aria-labelledby="{key}"{extra}>\n<h2 id="{key}">{safe(title)}</h2>\n{lines(parts)}\n</section>'


def lines(parts: Iterable[str]) -> str:
    """Markup below one another, without what is empty."""
    return "\n".join(part for part in parts if part)


def paragraph(text: str) -> str:
    """Plain words."""
    return f"<p>{safe(text)}</p>"


def table(
    caption: str,
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Sequence[int] = (),
    attributes: Sequence[str] = (),
) -> str:
    """A table whose first column names its rows.

    Parameters
    ----------
    caption : str
        Plain words.
    head : sequence of str
        Plain words, one a column.
    rows : iterable of sequences of str
        Cells, which are markup.
    numbers : sequence of int
        Columns of figures, set to the right.
    attributes : sequence of str
        Markup put into the tag of each row, one a row, where there are some.
    """

    def look(place: int) -> str:
        return ' class="n"' if place in numbers else ""

    heads = "".join(f'<th scope="col"{look(place)}>{safe(word)}</th>' for place, word in enumerate(head))
    body = []
    for number, row in enumerate(rows):
        cells = [f'<th scope="row"{look(0)}>{row[0]}</th>']
        cells += [f"<td{look(place)}>{cell}</td>" for place, cell in enumerate(row[1:], 1)]
        extra = f" {attributes[number]}" if attributes and attributes[number] else ""
        body.append(f"<tr{extra}>{''.join(cells)}</tr>")
    told = f'<p class="caption">{safe(caption)}</p>\n' if caption else ""
    name = safe(caption or " ".join(head))
    written = "\n".join(body)
    return (
        f'{told}<div class="scroll" tabindex="0" role="region" aria-label="{name}">\n<table aria-label="{name}">\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{written}\n</tbody>\n</table>\n</div>"
    )


def figure(picture: str, caption: str = "") -> str:
    """A picture that is markup, with plain words below."""
    told = f"\n<figcaption>{safe(caption)}</figcaption>" if caption else ""
    return f"<figure>\n{picture}{told}\n</figure>"


def details(summary: str, body: str, *, opened: bool = False) -> str:
    """Markup that is folded away behind plain words."""
    return f"<details{' open' if opened else ''}>\n<summary>{safe(summary)}</summary>\n{body}\n</details>"


def share_bar(share: float) -> str:
    """A small bar, for the eye alone: the figure stands beside it."""
    wide = 96 * min(max(share, 0.0), 1.0)
    return (
        '<svg class="bar" viewBox="0 0 96 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="96" height="10" rx="2"/><rect width="{short(wide)}" height="10" rx="2"/></svg>'
    )


def json_block(key: str, plain: Any) -> str:  # noqa: ANN401 - plain data
    r"""Data for a script, in a block that is not run and that no text in it can end.

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
    """What a page may do: run and style by what stands in it, named by its hashes, and ask nobody for anything."""
    scripts, styles = (
        " ".join(dict.fromkeys(f"'sha256-{_hash(text)}'" for text in found.findall(markup))) or "'none'"
        for found in (SCRIPT, STYLE)
    )
    return f"default-src 'none'; script-src {scripts}; style-src {styles}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
