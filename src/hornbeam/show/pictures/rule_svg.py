"""A list of rules as a picture: one row per rule, with bars for its coverage and its accuracy.

The columns are: number, conditions, prediction, coverage, fraction right. Exceptions are indented below their rule.
Plain SVG; nothing needs to be installed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.in_words import percent, plural
from hornbeam.data.schema import Nominal
from hornbeam.model.rules.exceptions import places
from hornbeam.show.pictures import palette
from hornbeam.show.pictures.svg_parts import (
    MARGIN,
    SMALL,
    box,
    document,
    heading,
    safe_lines,
    short,
    text_width,
    write_text,
)
from hornbeam.show.pictures.themes import in_theme
from hornbeam.show.texts.linear.linear_text import added
from hornbeam.show.texts.rules.rule_list import HOW
from hornbeam.show.texts.rules.rule_table import place_words
from hornbeam.show.texts.wording import NAME_LIMIT, amounts, condition_of, printable, short_number, with_signs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hornbeam.model.rules.exceptions import Place
    from hornbeam.model.rules.rule import Rule, RuleList
    from hornbeam.show.pictures.palette import Theme

GAP, INDENT = 22.0, 20.0
LINE, PAD = 16.0, 7.0  # height of a line, space above and below a row
WIDEST = 470.0  # maximum width of the conditions
BAR, BAR_HIGH = 110.0, 9.0
MOST_RULES, MOST_TERMS = 200, 8
LEAST_SEEN = 0.05


@dataclass
class _Row:
    """One rule, ready to draw."""

    place: Place
    rule: Rule
    number: str
    conditions: list[str]
    prediction: list[str]
    indent: float
    y: float = 0.0

    @property
    def lines(self) -> int:
        return max(len(self.conditions), len(self.prediction), 1)


def draw_rules(rules: RuleList, *, title: str | None = None, theme: str = "auto") -> str:
    """Draw a list of rules as SVG.

    Parameters
    ----------
    rules : RuleList
        What to draw; if there are more than 200 rules, the first 200.
    title : str, optional
        The title; by default the names of table and target.
    theme : {"auto", "light", "dark"}
        Colors.

    Returns
    -------
    str
        A complete SVG document. Every rule is a group of the class ``node``; those of the list itself have their
        index as ``data-node``, the default has -1.
    """
    title = f"{rules.schema.name}: {rules.schema.target_column.name}" if title is None else title
    drawing = _Drawing(rules, title)
    return in_theme(drawing.write, theme)


class _Drawing:
    """The state of one drawing."""

    def __init__(self, rules: RuleList, title: str) -> None:
        self.rules, self.title = rules, title
        target = rules.schema.target_column
        self.classes = target.categories if isinstance(target, Nominal) else ()
        every = list(places(rules))
        self.rows = [self._row(place, rule) for place, rule in every[:MOST_RULES]]
        self.left_out = len(every) - len(self.rows)
        self.most = max((rule.coverage for _, rule in every), default=0.0)
        self.weights = np.zeros(len(self.classes))
        for _, rule in every:
            if self.classes and rule.coverage > 0:
                self.weights += rule.value
        self._place()

    def _row(self, place: Place, rule: Rule) -> _Row:
        words = [with_signs(condition_of(condition, self.rules)) for condition in rule.conditions]
        parts = [f"{'and ' if position else 'if '}{part}" for position, part in enumerate(words)]
        if place[-1] < 0:
            parts = ["otherwise" if self.rules.rules or len(place) > 1 else "by default"]
        return _Row(
            place=place,
            rule=rule,
            number=place_words(place),
            conditions=_wrapped([printable(part, 70) for part in parts] or ["always"]),
            prediction=self._prediction(rule),
            indent=INDENT * (len(place) - 1),
        )

    def _prediction(self, rule: Rule) -> list[str]:
        if self.classes:
            return [printable(self.classes[rule.label], NAME_LIMIT) if rule.label >= 0 else "unknown"]
        terms = [added(term, self.rules.schema).lstrip() for term in rule.terms]
        if len(terms) > MOST_TERMS:
            terms[MOST_TERMS:] = [f"and {len(terms) - MOST_TERMS} more terms"]
        return [short_number(float(rule.value)), *terms]

    def _place(self) -> None:
        """Find the positions of the columns and the rows."""
        self.at_conditions = MARGIN + max((text_width(row.number, SMALL) for row in self.rows), default=0.0) + 12
        widest = max(
            (row.indent + text_width(line, SMALL) for row in self.rows for line in row.conditions), default=0.0
        )
        self.at_prediction = self.at_conditions + widest + GAP
        widths = [text_width(line, SMALL, bold=not i) for row in self.rows for i, line in enumerate(row.prediction)]
        self.at_coverage = self.at_prediction + 16 + max([*widths, text_width("prediction", SMALL)]) + GAP
        covered, wrong = (amounts([getattr(row.rule, name) for row in self.rows]) for name in ("coverage", "errors"))
        self.texts = {row.number: pair for row, *pair in zip(self.rows, covered, wrong, strict=True)}
        self.at_right = (
            self.at_coverage + BAR + 8 + max([text_width(text, SMALL) for text in covered], default=0.0) + GAP
        )
        self.width = self.at_right + BAR + 8 + text_width("100.0%", SMALL)
        y = 0.0
        for row in self.rows:
            row.y = y
            y += row.lines * LINE + 2 * PAD
        self.height = y

    def write(self, theme: Theme) -> str:
        """Write the document in these colors."""
        colors = palette.of_classes(self.weights, theme) if self.classes else []
        summary = self._summary()
        lines, y, right = heading(self.title, summary, theme)
        y += 26
        last = "right" if self.classes else "error"
        heads = {
            self.at_conditions: "rule",
            self.at_prediction + 16: "prediction",
            self.at_coverage: "weight",
            self.at_right: last,
        }
        lines += [write_text(words, x, y, SMALL, color=theme.muted) for x, words in heads.items()]
        top = y + 8
        for row in self.rows:
            lines += self._draw(row, top + row.y, theme, colors)
        bottom = top + self.height
        if self.left_out:
            bottom += LINE
            lines.append(write_text(f"… {plural(self.left_out, 'more rule')}", self.at_conditions, bottom, SMALL))
        wide = max(self.width, right) + MARGIN
        return document(wide, bottom + MARGIN, self.title, lines, theme, description=summary)

    def _summary(self) -> str:
        count = len(self.rules.rules)
        if count:
            return f"{plural(count, 'rule')}; {HOW[self.rules.decide]}"
        count = len(self.rows) + self.left_out - 1
        return f"a default with {plural(count, 'exception')}" if self.rows else "no rules"

    def _draw(self, row: _Row, top: float, theme: Theme, colors: list[str]) -> Iterator[str]:
        number = f' data-node="{row.place[0]}"' if len(row.place) == 1 else ""
        yield f'<g class="node"{number} data-rule="{row.number}">'
        yield f"<title>{safe_lines(self._tip(row))}</title>"
        high = row.lines * LINE + 2 * PAD
        yield f'<rect {box(MARGIN - 8, top, self.width - MARGIN + 16, high)} fill="{theme.ground}"/>'
        yield f'<path d="M{short(MARGIN - 8)} {short(top)}h{short(self.width - MARGIN + 16)}" stroke="{theme.faint}"/>'
        base = top + PAD + 0.75 * LINE
        yield write_text(row.number, self.at_conditions - 12, base, SMALL, color=theme.muted, anchor="end")
        for i, line in enumerate(row.conditions):
            yield write_text(line, self.at_conditions + row.indent, base + i * LINE, SMALL)
        if self.classes:
            color = colors[row.rule.label] if row.rule.label >= 0 else theme.other
            yield f'<rect {box(self.at_prediction, base - 9, 10, 10)} rx="2" fill="{color}"/>'
        for i, line in enumerate(row.prediction):
            look = theme.muted if i else theme.ink
            yield write_text(line, self.at_prediction + 16, base + i * LINE, SMALL, bold=not i, color=look)
        yield from self._bars(row, base, theme, colors)
        yield "</g>"

    def _bars(self, row: _Row, base: float, theme: Theme, colors: list[str]) -> Iterator[str]:
        rule, y = row.rule, base - BAR_HIGH
        covered = self.texts[row.number][0]
        yield _bar(self.at_coverage, y, BAR, theme.faint)
        yield _bar(self.at_coverage, y, BAR * rule.coverage / self.most if self.most > 0 else 0.0, theme.muted)
        yield write_text(covered, self.at_coverage + BAR + 8, base, SMALL)
        if rule.coverage <= 0:
            return
        if not self.classes:
            error = (rule.errors / rule.coverage) ** 0.5
            yield write_text(short_number(error), self.at_right, base, SMALL)
            return
        yield _bar(self.at_right, y, BAR, theme.faint)
        right = 1.0 - rule.errors / rule.coverage
        if rule.exceptions is not None:  # its weights are those of the rows that no exception covers
            yield _bar(self.at_right, y, BAR * right, colors[rule.label] if rule.label >= 0 else theme.other)
        else:
            x, value = self.at_right, np.asarray(rule.value)
            for color, share in zip(colors, (value / (float(value.sum()) or 1.0)).tolist(), strict=True):
                yield _bar(x, y, BAR * share, color)
                x += BAR * share
        yield write_text(percent(right), self.at_right + BAR + 8, base, SMALL)

    def _tip(self, row: _Row) -> list[str]:
        covered, wrong = self.texts[row.number]
        lines = [f"Rule {row.number}", row.rule.describe(self.rules.schema), f"weight {covered}"]
        if self.classes:
            lines[-1] += f", wrong {wrong}"
            for name, weight in zip(self.classes, np.asarray(row.rule.value).tolist(), strict=True):
                if weight > 0:
                    lines.append(f"  {printable(name, NAME_LIMIT)}: {short_number(weight)}")
        return lines


def _wrapped(parts: list[str]) -> list[str]:
    """Join conditions to lines, each as long as possible."""
    lines = [parts[0]]
    for part in parts[1:]:
        if text_width(f"{lines[-1]} {part}", SMALL) > WIDEST:
            lines.append(part)
        else:
            lines[-1] += f" {part}"
    return lines


def _bar(x: float, y: float, wide: float, color: str) -> str:
    return f'<rect {box(x, y, wide, BAR_HIGH)} fill="{color}"/>' if wide > LEAST_SEEN else ""
