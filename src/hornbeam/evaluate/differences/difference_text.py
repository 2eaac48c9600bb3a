"""Two models side by side, as text: what differs in learning, the models as one marked listing, rows that changed.

In a listing, ``-`` marks what only A has, ``+`` what only B has, ``~`` what both have but differs. Equal parts of trees
are written in one line.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from hornbeam.data.in_words import letter, percent
from hornbeam.evaluate.differences.prediction_difference import AccuracyComparison, ErrorComparison
from hornbeam.evaluate.differences.rule_difference import DEFAULT, OTHER_CONDITIONS, EquationDifference, RuleDifference
from hornbeam.evaluate.differences.tree_difference import (
    FIGURES,
    NO_PREDICTION,
    ONLY_A,
    ONLY_B,
    OTHER_COLUMN,
    OTHER_CUT,
    OTHER_MISSING,
    OTHER_PREDICTION,
    SAME,
    SPLIT_A,
    SPLIT_B,
    TreeDifference,
)
from hornbeam.show.texts.columns import aligned, markdown, plain
from hornbeam.show.texts.rules.rule_list import HOW
from hornbeam.show.texts.wording import NAME_LIMIT, printable, short_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.evaluate.differences.difference import ColumnsDifference, Difference
    from hornbeam.evaluate.differences.prediction_difference import PredictionDifference
    from hornbeam.evaluate.differences.rule_difference import RulePair
    from hornbeam.evaluate.differences.tree_difference import NodePair

MOST_LINES = 80  # of a listing
MOST_ALONE = 15  # nodes of a part that only one tree has that are listed individually
MOST_CATEGORIES = 6  # maximum number of categories named that only one model knows
VALUE_LIMIT = 48  # maximum length of a parameter's value
FINGERPRINT = 12  # digits of a fingerprint that are shown
SIGNIFICANT = 0.05
MARKS = {ONLY_A: "-", ONLY_B: "+", SAME: " "}
SAID = {  # verbs for differences of a kind: singular, plural
    SAME: ("is the same", "are the same"),
    OTHER_PREDICTION: ("predicts differently", "predict differently"),
    OTHER_CUT: ("is cut elsewhere", "are cut elsewhere"),
    OTHER_COLUMN: ("uses another column", "use another column"),
    OTHER_MISSING: ("sends missing values elsewhere", "send missing values elsewhere"),
    OTHER_CONDITIONS: ("has other conditions", "have other conditions"),
    SPLIT_A: ("is split only in A", "are split only in A"),
    SPLIT_B: ("is split only in B", "are split only in B"),
    ONLY_A: ("is only in A", "are only in A"),
    ONLY_B: ("is only in B", "are only in B"),
    "moved": ("stands elsewhere", "stand elsewhere"),
}


def write(found: Difference, *, in_markdown: bool = False) -> str:
    """Write the difference as lines, without a trailing newline."""
    writer = _Writer(in_markdown=in_markdown)
    writer.heads(found)
    writer.columns(found.columns)
    writer.models(found)
    if found.predictions is not None:
        writer.predictions(found.predictions, found.target)
    if found.is_empty:
        writer.sentence("Nothing differs.")
    return "\n".join(writer.lines[:-1])


class _Writer:
    """Writes a difference as paragraphs, each followed by an empty line."""

    def __init__(self, *, in_markdown: bool) -> None:
        self.in_markdown, self.lines = in_markdown, list[str]()

    def sentence(self, *said: str) -> None:
        """Add a paragraph."""
        self.lines += [*(map(plain, said) if self.in_markdown else said), ""]

    def table(self, rows: Sequence[Sequence[str]], left: Sequence[int]) -> None:
        """Add a table whose first row is its header."""
        lines = markdown(rows, left) if self.in_markdown else aligned(rows, left)
        self.lines += [*lines, ""]

    def listing(self, lines: Sequence[str]) -> None:
        """Add lines as they are."""
        if len(lines) > MOST_LINES:
            lines = [*lines[:MOST_LINES], f"... {len(lines) - MOST_LINES} more lines"]
        # In Markdown, four blanks make a block of code that no text inside can end.
        self.lines += [*(f"    {line}" for line in lines), ""] if self.in_markdown else [*lines, ""]

    def heads(self, found: Difference) -> None:
        """The kinds of models, and the differences of their parameters."""
        rows = [["", "A", "B"], ["model", *(printable(name, VALUE_LIMIT) for name in (found.name_a, found.name_b))]]
        if found.kind_a != found.kind_b:
            rows.append(["kind", found.kind_a, found.kind_b])
        other_scheme = any(one.name == "scheme" for one in found.learned)
        for one in found.learned:
            if other_scheme and (one.a is None or one.b is None):
                continue  # a parameter that only one scheme has is not a difference
            rows.append([printable(one.name, NAME_LIMIT), _value(one.name, one.a), _value(one.name, one.b)])
        rows += [[one.name, _value(one.name, one.a), _value(one.name, one.b)] for one in found.statistics]
        self.table(rows, left=(0, 1, 2))

    def columns(self, found: ColumnsDifference) -> None:
        """Columns and categories that only one model has."""
        said = [
            f"only {side} uses {_names(names)}" for side, names in (("A", found.only_a), ("B", found.only_b)) if names
        ]
        said += [f"{printable(one.name, NAME_LIMIT)}: {one.a} in A, {one.b} in B" for one in found.kinds]
        said += [
            f"{printable(column, NAME_LIMIT)}: only {side} knows {_names(names)}"
            for side, known in (("A", found.categories_a), ("B", found.categories_b))
            for column, names in known.items()
        ]
        if said:
            self.sentence(*said)

    def models(self, found: Difference) -> None:
        """The models themselves."""
        models = found.models
        if models is None:
            kinds = f"A: {found.kind_a}, B: {found.kind_b}"
            self.sentence(
                f"The models are of different kinds ({kinds}): their parameters and predictions are compared."
            )
        elif models.is_empty:
            self.sentence("The models are the same.")
        elif isinstance(models, EquationDifference):
            self.table([["", "A", "B"], *([one.name, _term(one.a), _term(one.b)] for one in models.terms)], left=(0,))
        elif isinstance(models, TreeDifference):
            self.sentence(_counted(models.counts, "node", "nodes"), "Below, - is only in A, + only in B, ~ changed:")
            self.listing(tree_lines(models))
        elif isinstance(models, RuleDifference):
            self.sentence(_counted(models.counts, "rule", "rules"), "Below, - is only in A, + only in B, ~ changed:")
            self.listing(rule_lines(models))
        else:
            self.sentence("Below, - is only in A, + only in B:")
            self.listing(models.lines)

    def predictions(self, found: PredictionDifference, target: str | None) -> None:
        """Rows that get different predictions."""
        share = f" ({percent(found.n_changed / found.rows)})" if found.n_changed else ""
        self.sentence(f"{found.n_changed} of {found.rows} rows get a different prediction{share}.")
        apart = [entry for entry in found.counts if entry[0] != entry[1]]
        if apart:
            self.table(
                [["A", "B", "rows"], *([_prediction(a), _prediction(b), str(rows)] for a, b, rows in apart)],
                left=(0, 1),
            )
        if found.judged is not None:
            seen = {(True, True): "Both models were", (True, False): "A was", (False, True): "B was"}
            who = seen.get((found.learned_by_a, found.learned_by_b))
            warned = [] if who is None else [f"{who} trained on these rows, so the result is optimistic."]
            self.sentence(*_judged(found.judged), *warned)
        if not found.changed:
            return
        known = found.judged is not None
        rows = [["row", "A", "B", *([printable(target or "", NAME_LIMIT)] if known else []), "why"]]
        for row in found.changed:
            why = "" if row.reason is None else letter(row.reason)
            rows.append(
                [str(row.row), _prediction(row.a), _prediction(row.b), *([_truth(row.truth)] if known else []), why]
            )
        if not found.reasons:
            rows = [row[:-1] for row in rows]
        numbers = isinstance(found.judged, ErrorComparison) or isinstance(found.changed[0].a, float)
        self.table(rows, left=(len(rows[0]) - 1,) if numbers and found.reasons else () if numbers else range(1, 5))
        if len(found.changed) < found.n_changed:
            shown, all_rows = len(found.changed), found.n_changed
            self.sentence(
                f"the {shown} of {all_rows} that changed most" if numbers else f"the first {shown} of {all_rows}"
            )
        for place, reason in enumerate(found.reasons):
            text = [(side, words) for side, words in (("A", reason.a), ("B", reason.b)) if words]
            lead = f"{letter(place)}  "
            self.listing(
                [(lead if not at else " " * len(lead)) + f"{s}: {words}" for at, (s, words) in enumerate(text)]
            )
            self.lines.pop()
        if found.reasons:
            self.lines.append("")


def tree_lines(found: TreeDifference) -> list[str]:
    """Two trees as one listing, marked; parts that are the same in one line each."""
    pairs, lines, place = found.pairs, list[str](), 0
    ends = _ends(pairs)
    while place < len(pairs):
        pair, end = pairs[place], ends[place]
        rest = pairs[place:end]
        whole = len(rest) > 1 and all(one.kind == SAME and one.branch_a == one.branch_b for one in rest)
        indent = "   " * max(pair.depth - 1, 0)
        if whole and pair.depth:
            leaves = sum(one.prediction_a is not None for one in rest)
            lines.append(f"  {indent}{pair.branch_a} ... the same, {leaves} leaves")
            place = end
            continue
        if pair.kind in (ONLY_A, ONLY_B) and len(rest) > MOST_ALONE:
            leaves = sum(one.prediction_a is not None or one.prediction_b is not None for one in rest)
            lines.append(f"{MARKS[pair.kind]} {indent}{pair.branch_a or pair.branch_b} ... {leaves} leaves")
            place = end
            continue
        lines += [f"{mark} {indent}{words}" for mark, words in _node_lines(pair)]
        place += 1
    return lines


def _ends(pairs: Sequence[NodePair]) -> list[int]:
    """For every pair, the index after the last one below it."""
    ends, open_at = [len(pairs)] * len(pairs), list[int]()
    for place, pair in enumerate(pairs):
        while open_at and pairs[open_at[-1]].depth >= pair.depth:
            ends[open_at.pop()] = place
        open_at.append(place)
    return ends


def _node_lines(pair: NodePair) -> list[tuple[str, str]]:  # noqa: PLR0911 - one for each way to differ
    """A node, or two, with their marks."""
    a, b = _node(pair.branch_a, pair.prediction_a), _node(pair.branch_b, pair.prediction_b)
    if pair.kind == ONLY_A:
        return [("-", a)]
    if pair.kind == ONLY_B:
        return [("+", b)]
    if pair.kind == OTHER_MISSING:
        same = a if a == b else f"{a} -> {b}"
        return [("~", f"{same or 'all rows'} (a row without the value {pair.missing_a} -> {pair.missing_b})")]
    if pair.kind in (SPLIT_A, SPLIT_B):
        return [("-", a or "all rows"), ("+", b or "all rows")]
    if a == b:
        return [(" ", a)] if a else []
    if pair.branch_a == pair.branch_b:
        return [("~", f"{a} -> {pair.prediction_b}")]
    return [("~", f"{a} -> {b}")]


def _node(branch: str, prediction: str | None) -> str:
    return branch if prediction is None else f"{branch or 'all rows'}: {prediction}"


def rule_lines(found: RuleDifference, indent: str = "") -> list[str]:
    """Two lists of rules as one listing, marked."""
    lines: list[str] = []
    if found.decide_a != found.decide_b:
        lines.append(f"~ {indent}{HOW[found.decide_a]} -> {HOW[found.decide_b]}")
    places = [pair.a for pair in found.pairs] + [pair.b for pair in found.pairs]
    room = max((len(str(place + 1)) for place in places if place is not None), default=1)
    for pair in found.pairs:
        lines += [f"{mark} {indent}{words}" for mark, words in _rule_lines(pair, room)]
        if pair.exceptions is not None and not pair.exceptions.is_empty:
            lines.append(f"  {indent}   except")
            lines += rule_lines(pair.exceptions, indent + "      ")
    return lines


def _rule_lines(pair: RulePair, room: int) -> list[tuple[str, str]]:
    def lead(side: str, place: int | None) -> str:
        if place is None:
            return " " * (room + 2)
        return f"{side}{' ' * (room + 1) if place == DEFAULT else str(place + 1).rjust(room) + ' '}"

    leads = lead("A", pair.a), lead("B", pair.b)
    if pair.kind in (ONLY_A, ONLY_B):
        return [(MARKS[pair.kind], f"{leads[0]} {leads[1]}  {pair.rule_a or pair.rule_b}")]
    if pair.rule_a == pair.rule_b:
        return [("~" if pair.moved else " ", f"{leads[0]} {leads[1]}  {pair.rule_a}")]
    blank = " " * (room + 2)
    return [("~", f"{leads[0]} {blank}  {pair.rule_a}"), (" ", f"{blank} {leads[1]}  {pair.rule_b}")]


def _counted(counts: Mapping[str, int], one: str, several: str) -> str:
    """A sentence with the number of each kind."""
    said: list[str] = []
    for kind, words in SAID.items():
        if count := counts.get(kind, 0):
            said.append(f"{count} {(one if count == 1 else several) if not said else ''} {words[count != 1]}")
    return " ".join("; ".join(said).split()) + "."


def _judged(found: AccuracyComparison | ErrorComparison) -> list[str]:
    if isinstance(found, AccuracyComparison):
        right = f"Of {found.rows} rows whose class is known, A has {found.right_a} right and B {found.right_b}"
        alone = f"only A {found.only_a}, only B {found.only_b}"
        if found.only_a == found.only_b:
            return [f"{right} ({alone}): equally often."]
        better = "A" if found.right_a > found.right_b else "B"
        verdict = (
            f"{better} is right more often" if found.p_value < SIGNIFICANT else "The difference may be due to chance"
        )
        return [f"{right} ({alone}).", f"{verdict} (McNemar's exact test, p = {short_number(found.p_value, 2)})."]
    off = short_number(found.mean_absolute_error_a), short_number(found.mean_absolute_error_b)
    squares = short_number(found.root_mean_squared_error_a), short_number(found.root_mean_squared_error_b)
    low, high = found.difference.interval
    ends = "" if math.isnan(low) else f", 95% interval {short_number(low)} to {short_number(high)}"
    first = f"Of {found.rows} rows whose number is known, A is off by {off[0]} and B by {off[1]} on average"
    return [
        f"{first} (root mean squared errors {squares[0]} and {squares[1]}).",
        f"B minus A: {short_number(found.difference.mean)}{ends}.",
    ]


def _prediction(prediction: str | float | None) -> str:
    if prediction is None:
        return NO_PREDICTION
    return printable(prediction, NAME_LIMIT) if isinstance(prediction, str) else short_number(prediction, FIGURES)


def _term(coefficient: float | None) -> str:
    return "-" if coefficient is None else short_number(coefficient, FIGURES)


def _truth(prediction: str | float | None) -> str:
    return "?" if prediction is None else _prediction(prediction)


def _value(name: str, value: Any) -> str:  # noqa: ANN401 - a parameter may be anything plain
    if value is None:
        return "-"
    if name == "data" and isinstance(value, str):
        return printable(value[:FINGERPRINT])
    return printable(value if isinstance(value, str) else repr(value), VALUE_LIMIT)


def _names(names: Sequence[str]) -> str:
    text = [printable(name, NAME_LIMIT) for name in names[:MOST_CATEGORIES]]
    rest = len(names) - len(text)
    return ", ".join(text) + (f" and {rest} more" if rest else "")
