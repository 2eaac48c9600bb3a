"""The what-if form: a field for every column, first those that the model uses, and rows to trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data import dates
from hornbeam.data.in_words import plural
from hornbeam.data.schema import Nominal
from hornbeam.model.linear.linear import LinearModel
from hornbeam.model.rules.rule import RuleList
from hornbeam.model.trees.tree import Tree
from hornbeam.report.listing import number_words
from hornbeam.report.markup import details, lines
from hornbeam.show.pictures.svg_parts import safe
from hornbeam.show.texts.wording import branch, printable, short_number

if TYPE_CHECKING:
    from hornbeam.data.schema import Numeric
    from hornbeam.data.table import Table
    from hornbeam.report.examples import Example
    from hornbeam.report.result import Report

MOST_CHOICES = 300  # categories in a list; if there are more, a name is typed
MOST_OTHERS = 100  # columns in the form that the model does not use
MOST_WORDS = 20_000  # nodes of a tree whose conditions are written out
TIMES = ("%H", "%M", "%S", "%I", "%f")  # parts of date formats with a time of day


def form(report: Report) -> str:
    """Write the form, with the list of rows and the prediction above it."""
    table, model = report.table, report.estimator.model_
    used, shown = used_columns(model), _shown(report)
    written = {position: _field(table, index, position) for index, position in shown}
    first = [text for position, text in written.items() if used is None or position in used]
    others = [text for position, text in written.items() if not (used is None or position in used)]
    rest = details(
        f"{plural(len(others), 'other column')}, which the model does not use",
        f'<div class="fields">\n{lines(others)}\n</div>',
    )
    return lines(
        [
            '<div class="panel">',
            '<h3 id="try">What if?</h3>',
            _chooser(report) if report.examples else "",
            '<form id="what-if" aria-labelledby="try" autocomplete="off">',
            '<div class="prediction" role="status" aria-live="polite" aria-atomic="true">',
            f'<span class="hint">{safe(report.table.schema.target_column.name)}</span>',
            '<output id="prediction">needs JavaScript</output>',
            '<ul class="probabilities" id="probabilities" aria-label="probabilities of the classes"></ul>',
            '<ol id="path" aria-label="how the prediction was made"></ol>',
            "</div>",
            f'<div class="fields">\n{lines(first)}\n</div>',
            rest if others else "",
            _left_out(len(table.schema.features) - len(shown)),
            '<div class="row-buttons"><button type="reset">Typical values</button></div>',
            "</form>",
            "</div>",
        ]
    )


def form_data(report: Report) -> dict[str, Any]:
    """Return the data of the page's script: the fields, the rows, and the texts of nodes and rules."""
    schema, target = report.table.schema, report.table.schema.target_column
    shown = _shown(report)
    fields = [
        {
            "column": schema.columns[position].name,
            "place": place,
            "kind": _kind(report.table, position),
            "typical": _typical(report.table, position),
            **_range(report.table, position),
        }
        for place, position in shown
    ]
    examples = [one.to_json() for one in report.examples]
    for one in examples:
        one["values"] = [one["values"][place] for place, _ in shown]
    return {
        "fields": fields,
        "examples": examples,
        "words": _words(report),
        "target": {"name": target.name, "date": not isinstance(target, Nominal) and target.format is not None},
    }


def _shown(report: Report) -> list[tuple[int, int]]:
    """Return the columns of the form, as indices of features and as positions: those used, and some others."""
    used, left = used_columns(report.estimator.model_), MOST_OTHERS
    shown = []
    for index, position in enumerate(report.table.schema.features):
        if used is None or position in used or left > 0:
            shown.append((index, position))
            left -= int(used is not None and position not in used)
    return shown


def _left_out(count: int) -> str:
    return f'<p class="hint">{count:,} more columns, which the model does not use, are left out.</p>' if count else ""


def used_columns(model: Any) -> set[int] | None:  # noqa: ANN401 - any model
    """Return the positions of the columns that predictions depend on; None if they may depend on all."""
    if isinstance(model, Tree):
        splits = {int(split) for split in model.split.tolist() if split >= 0}
        splits |= set() if model.surrogates is None else set(map(int, model.surrogates.tolist()))
        columns = {column for split in splits for column in model.splits.columns_of(split).tolist()}
        return columns | (set() if model.term_column is None else set(map(int, model.term_column.tolist())))
    if isinstance(model, RuleList):
        return _in_rules(model)
    if isinstance(model, LinearModel):
        return {factor.column for term in model.terms for factor in term.factors}
    return None


def used_names(model: Any) -> set[str] | None:  # noqa: ANN401 - any model
    """Return the names of these columns, and of the columns that they were computed from."""
    used = used_columns(model)
    if used is None:
        return None
    columns = [model.schema.columns[place] for place in used]
    return {one.name for one in columns} | {one.derived.source for one in columns if one.derived is not None}


def _in_rules(rules: RuleList) -> set[int]:
    columns: set[int] = set()
    for rule in (*rules.rules, *([] if rules.default is None else [rules.default])):
        columns |= {condition.column for condition in rule.conditions}
        columns |= {factor.column for term in rule.terms for factor in term.factors}
        columns |= set() if rule.exceptions is None else _in_rules(rule.exceptions)
    return columns


def _words(report: Report) -> dict[str, str]:
    """Return the condition of each node of a tree, or the conditions of each rule."""
    model = report.estimator.model_
    if isinstance(model, Tree):
        if model.n_nodes > MOST_WORDS:
            return {}
        return {"0": ""} | {str(node): str(branch(model, node)) for node in range(1, model.n_nodes)}
    return {line.key: " and ".join(line.conditions) or "otherwise" for line in report.lines}


def _kind(table: Table, position: int) -> str:
    column = table.schema.columns[position]
    if isinstance(column, Nominal):
        return "choice" if len(column.categories) <= MOST_CHOICES else "text"
    return "number" if column.format is None else "date"


def _typical(table: Table, position: int) -> str:
    """Return the initial value of a field: the median, or the most common category; empty if all are missing."""
    column, values = table.schema.columns[position], table.columns[position]
    if isinstance(column, Nominal):
        counts = np.bincount(values[values >= 0], minlength=1)
        if not counts.any():
            return ""
        code = int(counts.argmax())
        return str(code) if _kind(table, position) == "choice" else column.categories[code]
    order = table.sort_order(position)
    if not len(order):
        return ""
    middle = float(values[order[(len(order) - 1) // 2]])
    return repr(middle).removesuffix(".0") if column.format is None else _input_date(column, middle)


def _input_date(column: Numeric, seconds: float) -> str:
    """Write a date as an HTML input expects it."""
    return dates.show(seconds, "%Y-%m-%dT%H:%M:%S" if _has_time(column) else "%Y-%m-%d")


def _has_time(column: Numeric) -> bool:
    return any(part in (column.format or "") for part in TIMES)


def _field(table: Table, index: int, position: int) -> str:
    """Write a label, an input, a box for a missing value, and a hint."""
    column, name = table.schema.columns[position], safe(table.schema.columns[position].name)
    typical = safe(_typical(table, position))
    start = f'<div class="field">\n<label for="f{index}">{name}</label>'
    if isinstance(column, Nominal) and _kind(table, position) == "choice":
        options = ['<option value="">missing</option>']
        for code, category in enumerate(column.categories):
            chosen = " selected" if str(code) == typical else ""
            options.append(f'<option value="{code}"{chosen}>{safe(printable(category, 60)) or "(empty)"}</option>')
        return lines([start, f'<select id="f{index}">{"".join(options)}</select>', "</div>"])
    extra = ""
    if isinstance(column, Nominal):
        counts = np.bincount(table.columns[position][table.columns[position] >= 0], minlength=len(column.categories))
        listed = np.sort(np.argsort(-counts, kind="stable")[:MOST_CHOICES])
        options = [f'<option value="{safe(column.categories[code])}"></option>' for code in listed]
        extra = f'<datalist id="d{index}">{"".join(options)}</datalist>'
        look, hint = f'type="text" list="d{index}"', f"one of {len(column.categories)} categories"
    else:
        dated = "datetime-local" if _has_time(column) else "date"
        look = f'type="{"number" if column.format is None else dated}" step="any"'
        hint = _range_words(table, position)
    checked = "" if typical else " checked"
    return lines(
        [
            start,
            '<div class="line">',
            f'<input id="f{index}" {look} value="{typical}" aria-describedby="h{index}">',
            f'<label for="m{index}"><input id="m{index}" type="checkbox"{checked} aria-label="{name}: missing">',
            "missing</label>",
            "</div>",
            f'<span class="hint" id="h{index}">{safe(hint)}</span>{extra}',
            f'<span class="out" id="o{index}" role="status" hidden>outside the training data</span>',
            "</div>",
        ]
    )


def _range(table: Table, position: int) -> dict[str, float]:
    """Return the least and the greatest number of a column, so that the page can point out values outside them."""
    if isinstance(table.schema.columns[position], Nominal) or not len(table.sort_order(position)):
        return {}
    values, order = table.columns[position], table.sort_order(position)
    return {"low": float(values[order[0]]), "high": float(values[order[-1]])}


def _range_words(table: Table, position: int) -> str:
    column, ends = table.schema.columns[position], _range(table, position)
    if isinstance(column, Nominal) or not ends:
        return "always missing"
    low, high = (
        short_number(end) if column.format is None else dates.show(end, column.format) for end in ends.values()
    )
    return f"{low} to {high}"


def _chooser(report: Report) -> str:
    """Write a list of rows, with buttons for the previous and the next one."""
    options = ['<option value="">choose a row…</option>']
    options += [f'<option value="{one.row}">{safe(_row_words(report, one))}</option>' for one in report.examples]
    return lines(
        [
            '<label for="example">Trace a row of the data</label>',
            f'<select id="example">{"".join(options)}</select>',
            '<div class="row-buttons">',
            '<button type="button" id="before">Previous row</button>',
            '<button type="button" id="after">Next row</button>',
            "</div>",
            '<p class="hint" id="traced" role="status" aria-live="polite"></p>',
        ]
    )


def _row_words(report: Report, one: Example) -> str:
    truth, said = (_value_words(report, value) for value in (one.truth, one.prediction))
    if report.predicts == "number":
        return f"row {one.row}: {truth}, predicted {said}"
    return f"row {one.row}: {truth}, predicted {said} (wrong)" if one.error else f"row {one.row}: {truth}"


def _value_words(report: Report, value: float | str | None) -> str:
    if value is None:
        return "no prediction"
    return printable(value, 40) if isinstance(value, str) else number_words(report.table.schema, value)
