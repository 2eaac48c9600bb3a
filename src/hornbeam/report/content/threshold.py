"""The threshold on the probability, for two classes: a slider with costs on a page, and a table of thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.data.in_words import percent, printable
from hornbeam.report.content.blocks import Folded, Grid, Heading, Raw, Words, amount_text
from hornbeam.report.markup import lines
from hornbeam.show.pictures.svg_parts import safe

if TYPE_CHECKING:
    from hornbeam.report.content.blocks import Block
    from hornbeam.report.thresholds import Thresholds

LISTED = range(5, 100, 5)  # thresholds in the table, in hundredths
NAME_ROOM = 30


def threshold_blocks(found: Thresholds) -> list[Block]:
    """Show the effect of a threshold on held-out rows."""
    positive = printable(found.positive, NAME_ROOM)
    text = (
        f"A row is predicted as '{positive}' if the probability of that class is at least the threshold. Move it, and "
        "enter what each kind of error costs: the numbers are those of the held-out rows. A threshold chosen by these "
        "rows looks a little better here than it will be on new ones."
    )
    rows = tuple(_row(found, step) for step in LISTED)
    head = ("threshold", "predicted", "precision", "recall", "false positives", "false negatives")
    caption = f"Thresholds on the probability of '{positive}', held-out rows"
    return [
        Heading("Choose a threshold"),
        Words(text),
        Raw(_slider(found)),
        Folded("Thresholds as a table", (Grid(caption, head, rows, (0, 1, 2, 3, 4, 5)),)),
    ]


def threshold_data(found: Thresholds) -> dict[str, Any]:
    """Return the data of the slider."""
    return {
        "positives": found.positives,
        "negatives": found.negatives,
        "found": list(found.found),
        "alarms": list(found.alarms),
    }


def _row(found: Thresholds, step: int) -> tuple[str, ...]:
    right, wrong = found.found[step], found.alarms[step]
    return (
        f"{step}%",
        amount_text(right + wrong),
        percent(right / (right + wrong)) if right + wrong else "-",
        percent(right / found.positives),
        amount_text(wrong),
        amount_text(found.positives - right),
    )


def _slider(found: Thresholds) -> str:
    positive, negative = (safe(printable(name, NAME_ROOM)) for name in (found.positive, found.negative))
    cell = '<td class="n" id="{}">-</td>'.format
    return lines(
        [
            '<div class="threshold panel">',
            '<div class="knobs">',
            '<div class="knob"><label for="t-at">threshold <output id="t-shown" for="t-at">50%</output></label>',
            '<input type="range" id="t-at" min="0" max="100" step="1" value="50">',
            '<svg class="costs" viewBox="0 0 100 30" preserveAspectRatio="none" role="img">',
            '<title>total cost by threshold</title><polyline id="t-costs"/><path id="t-mark"/></svg></div>',
            f'<div class="knob"><label for="t-alarm">cost of predicting {positive} wrongly</label>',
            '<input type="number" id="t-alarm" min="0" step="any" value="1"></div>',
            f'<div class="knob"><label for="t-miss">cost of missing a {positive}</label>',
            '<input type="number" id="t-miss" min="0" step="any" value="1"></div>',
            '<div class="row-buttons"><button type="button" id="t-best">Cheapest threshold</button>',
            '<button type="button" id="t-half">50%</button></div>',
            "</div>",
            '<div role="status" aria-live="polite" class="numbers"><dl class="cards">',
            *(
                f'<div><dt>{name}</dt><dd id="{key}">needs JavaScript</dd></div>'
                for key, name in (
                    ("t-precision", "precision"),
                    ("t-recall", "recall"),
                    ("t-accuracy", "accuracy"),
                    ("t-cost", "total cost"),
                )
            ),
            "</dl>",
            '<div class="scroll" tabindex="0" role="region" aria-label="confusion at the threshold">',
            '<table aria-label="held-out rows at this threshold"><thead><tr><th scope="col">true class</th>',
            f'<th scope="col" class="n">predicted {positive}</th><th scope="col" class="n">predicted {negative}</th>',
            "</tr></thead><tbody>",
            f'<tr><th scope="row">{positive}</th>{cell("t-tp")}{cell("t-fn")}</tr>',
            f'<tr><th scope="row">{negative}</th>{cell("t-fp")}{cell("t-tn")}</tr>',
            "</tbody></table></div></div>",
            "</div>",
        ]
    )
