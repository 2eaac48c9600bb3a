"""The section about the model: a picture, a form to try it, and a list of its leaves or rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.data.in_words import percent
from hornbeam.model.trees.tree import Tree
from hornbeam.report.choice import ROWS_PER_LEAF, SMALL_TREE
from hornbeam.report.content.blocks import Folded, Grid, Raw, Section, Try, Verbatim, Words, amount_text, counted
from hornbeam.report.form import form
from hornbeam.report.markup import lines
from hornbeam.schemes import find
from hornbeam.show import svg, text

if TYPE_CHECKING:
    from hornbeam.report.content.blocks import Block
    from hornbeam.report.listing import Line
    from hornbeam.report.result import Report

MOST_DRAWN = 80  # leaves drawn, the smallest as ticks
MOST_LISTED = 40  # leaves or rules listed at once
MOST_LINES = 200  # maximum number of lines in all
DEFAULT = "-1"  # the key of the default rule
MOST_TEXT = 300  # lines of the model as text
MOST_CHARACTERS = 120_000  # of the model as text


def model_section(report: Report) -> Section:
    """Show the form, and beside it the picture and the list of the model."""
    scheme = find(report.choice.scheme, report.predicts)
    text_above = (
        f"{scheme.title}: {summary_of(report, report.choice.scheme)}. Learned from all rows; the metrics below "
    )
    text_above += "are of held-out rows."
    title = f"The model for {report.table.schema.target_column.name}"
    shown = (Verbatim(_cut(text(report.estimator))),)
    listed = _list(report)
    drawn = _drawn(report)
    if drawn:
        right: tuple[Block, ...] = (Raw(drawn), *listed, Folded("The model as text", shown))
    else:
        right = (*listed, Folded("The model as text", shown)) if listed else shown
    if report.script is None:
        reason = Words(
            "This model cannot be tried here: it is too large for a page, or it predicts from rows that it keeps."
        )
        return Section("model", title, (Words(text_above), reason, *right))
    return Section("model", title, (Words(text_above), Try(form(report), right)))


def summary_of(report: Report, name: str) -> str:
    """Describe a scheme; for the tree that a report adds, its limit."""
    if name == SMALL_TREE and report.limited_tree:
        leaves = f"at most {report.choice.max_size} leaves of at least {ROWS_PER_LEAF} rows"
        return f"{leaves}, best splits first"
    return find(name, report.predicts).summary


def _list(report: Report) -> tuple[Block, ...]:
    """List the leaves or rules, all but the first folded."""
    if not report.lines:
        return ()
    rest = report.lines[MOST_LISTED:MOST_LINES]
    blocks: list[Block] = [_listed(report, report.lines[:MOST_LISTED])]
    if rest:
        blocks.append(Folded(f"{len(rest)} more", (_listed(report, rest),)))
    if len(report.lines) > MOST_LINES:
        left = counted(len(report.lines) - MOST_LINES, "more line")
        blocks.append(Words(f"Left out: {left}. The model file has them all; see How to reproduce this."))
    return tuple(blocks)


def _cut(written: str) -> str:
    """Cut a model as text to a length that fits on a page."""
    lines_of = written.split("\n")
    kept, length = [], 0
    for line in lines_of[:MOST_TEXT]:
        length += len(line) + 1
        if length > MOST_CHARACTERS:
            break
        kept.append(line)
    left = len(lines_of) - len(kept)
    return "\n".join([*kept, f"… {counted(left, 'more line')}"]) if left else written


def _drawn(report: Report) -> str:
    """Draw a tree in a box that scrolls."""
    picture = _picture(report)
    if not picture:
        return ""
    return lines(
        [
            '<div class="drawn">',
            '<p class="tools"><input type="checkbox" id="fit"> <label for="fit">fit the whole picture</label></p>',
            f'<div class="picture" id="picture" tabindex="0" role="region" aria-label="the tree">\n{picture}\n</div>',
            "</div>",
        ]
    )


def _picture(report: Report) -> str:
    tree = report.estimator.model_
    if not isinstance(tree, Tree):
        return ""
    # Histograms of numbers need the rows; classes are in the tree.
    rows = report.table if report.predicts == "number" else None
    return svg(tree, max_depth=depth_drawn(tree, MOST_DRAWN), title=report.title, table=rows)


def depth_drawn(tree: Tree, most: int) -> int | None:
    """Return how many levels have at most `most` leaves; None for the whole tree."""
    if tree.n_leaves <= most:
        return None
    level = {0: 0}
    closed = [0] * (int(tree.depth) + 1)  # number of leaves and nodes at each level
    width = [0] * (int(tree.depth) + 1)
    for node in range(tree.n_nodes):
        if node:
            level[node] = level[int(tree.parent[node])] + 1
        width[level[node]] += 1
        closed[level[node]] += int(tree.n_children[node] == 0)
    drawn = before = 0
    for depth, nodes in enumerate(width):
        if before + nodes > most:
            break
        drawn, before = depth, before + closed[depth]
    return max(drawn, 1)


def _listed(report: Report, shown: tuple[Line, ...]) -> Grid:
    total = sum(line.weight for line in report.lines if not line.depth) or 1.0
    weights = [amount_text(line.weight) for line in shown]
    wrong = ["-" if line.wrong is None else amount_text(line.wrong) for line in shown]
    tree = isinstance(report.estimator.model_, Tree)
    rows = []
    for index, line in enumerate(shown):
        words = " and ".join(line.conditions) or ("always" if tree else "otherwise")
        cells = ("except " * line.depth + words, line.prediction, weights[index], percent(line.weight / total))
        rows.append((*cells, wrong[index]) if report.predicts == "category" else cells)
    head: tuple[str, ...] = ("where", report.table.schema.target_column.name, "rows", "fraction")
    head = (*head, "wrong") if report.predicts == "category" else head
    how = str(report.size) if report.size is not None else counted(len(report.lines), "line")
    how += " and the prediction for all other rows" if any(line.key == DEFAULT for line in report.lines) else ""
    order = "" if tree else "; the first rule that matches decides" if report.estimator.model_.decide == "first" else ""
    return Grid(
        f"The model as a list: {how}{order}. Rows are training rows.",
        head,
        tuple(rows),
        tuple(range(2, len(head))),
        keys=tuple(line.key for line in shown),
    )
