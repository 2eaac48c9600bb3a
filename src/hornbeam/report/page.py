"""A report as one HTML page that loads nothing else; the same data give the same bytes."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from hornbeam.report.alerts import SEVERITIES
from hornbeam.report.content.blocks import Beside, Charts, Folded, Grid, Heading, Raw, Try, Verbatim, Warned, Words
from hornbeam.report.content.threshold import threshold_data
from hornbeam.report.form import form_data
from hornbeam.report.markup import details, figure, json_block, lines, paragraph, policy, section, share_bar, table
from hornbeam.show.pictures.svg_parts import safe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hornbeam.report.content.blocks import Block
    from hornbeam.report.result import Document, Report


def page(report: Document) -> str:
    """Write a report as a page.

    Parameters
    ----------
    report : Document
        The report.

    Returns
    -------
    str
        A whole document. Its content security policy allows only what is in the page, and no requests.
    """
    parts = report.sections()
    links = "".join(f'<li><a href="#{part.key}">{safe(part.title)}</a></li>' for part in parts)
    title = report.heading
    body = lines(
        [
            '<a class="skip" href="#content">Skip to the content</a>',
            "<header>",
            f"<h1>{safe(title)}</h1>",
            *(f'<p class="about">{safe(line)}</p>' for line in report.about_lines()),
            f'<p class="summary">{safe(report.summary())}</p>' if report.summary() else "",
            _cards(report),
            _alerts(report),
            "</header>",
            f'<nav aria-label="sections"><ul>{links}</ul></nav>',
            '<main id="content">',
            *(section(one.key, one.title, *blocks(one.blocks), kind="wide" if one.wide else "") for one in parts),
            "</main>",
            f"<footer>Made with hornbeam {safe(report.version)}. This page needs no network.</footer>",
            *report.scripts(),
        ]
    )
    style = f"<style>{_asset('page.css')}</style>"
    return lines(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy(style + body)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{safe(title)}</title>",
            style,
            "</head>",
            "<body>",
            body,
            "</body>",
            "</html>\n",
        ]
    )


def blocks(content: Iterable[Block]) -> list[str]:
    """Write blocks as markup."""
    return [_block(block) for block in content]


def _block(block: Block) -> str:  # noqa: C901, PLR0911 - one case per kind of block
    match block:
        case Words():
            return paragraph(block.text)
        case Heading():
            return f"<h3>{safe(block.text)}</h3>"
        case Warned():
            items = "".join(f"<li>{safe(item)}</li>" for item in block.items)
            return f'<div class="warn" role="note" aria-label="warnings"><ul>{items}</ul></div>'
        case Grid():
            return _grid(block)
        case Charts():
            return lines(['<div class="charts">', *(figure(*one) for one in block.pictures), "</div>"])
        case Verbatim():
            return f'<pre tabindex="0">{safe_lines(block.text)}</pre>'
        case Folded():
            return details(block.summary, lines(blocks(block.blocks)))
        case Beside():
            columns = [f"<div>\n{lines(blocks(column))}\n</div>" for column in block.columns]
            return lines(['<div class="charts beside">', *columns, "</div>"])
        case Try():
            return lines(['<div class="try">', block.form, "<div>", *blocks(block.beside), "</div>", "</div>"])
        case Raw():
            return block.markup


def _grid(block: Grid) -> str:
    rows = [[safe(cell) for cell in row] for row in block.rows]
    head = list(block.head)
    if block.bars is not None:
        index, lengths = block.bars
        for row, length in zip(rows, lengths, strict=True):
            row[index] = f"{share_bar(length)} {row[index]}"
    if block.pictures:
        head.append(block.picture_head)
        rows = [[*row, picture] for row, picture in zip(rows, block.pictures, strict=True)]
    attributes = []
    for number in range(len(rows)):
        kept = [f'data-key="{safe(block.keys[number])}"'] if block.keys else []
        attributes.append(" ".join([*kept, *(['class="chosen"'] if number in block.marked else [])]))
    return table(block.caption, head, rows, numbers=block.numbers, attributes=attributes)


def safe_lines(text: str) -> str:
    """Escape several lines of text."""
    return "\n".join(map(safe, text.split("\n")))


def _cards(report: Document) -> str:
    made = [
        f"<div><dt>{safe(name)}</dt><dd>{safe(value)}{f' <small>{safe(note)}</small>' if note else ''}</dd></div>"
        for name, value, note in report.cards()
    ]
    return f'<dl class="cards">{"".join(made)}</dl>'


def _alerts(report: Document) -> str:
    """Write the alerts, one list per severity."""
    shown = report.shown_alerts()
    if not shown:
        return ""
    parts = ['<div class="alerts" id="alerts" role="note" aria-label="alerts">']
    for severity, title in SEVERITIES.items():
        items = "".join(f"<li>{safe(one.message)}</li>" for one in shown if one.severity == severity)
        if items:
            parts.append(f'<div class="alert {severity}">\n<h2>{title}</h2>\n<ul>{items}</ul>\n</div>')
    return lines([*parts, "</div>"])


def scripts(report: Report) -> list[str]:
    """Return the scripts of the form and of the threshold: data, model and code."""
    data = {} if report.script is None else form_data(report)
    if report.thresholds is not None:
        data["thresholds"] = threshold_data(report.thresholds)
    if not data:
        return []
    return [
        json_block("report-data", data),
        *([f"<script>{report.script}</script>"] if report.script is not None else []),
        f"<script>{_asset('page.js')}</script>",
    ]


@cache
def _asset(name: str) -> str:
    return (resources.files("hornbeam.report") / name).read_text("utf-8")
