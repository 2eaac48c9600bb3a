"""Support vector machines as text: margins, planes as equations, support vectors as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.model.base.align import align
from hornbeam.model.svm.check import REST
from hornbeam.show.texts.linear.linear_text import FIGURES, term_words
from hornbeam.show.texts.neighbors.instances_text import value_words
from hornbeam.show.texts.wording import NAME_LIMIT, printable, short_number

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.model.linear.linear import Term
    from hornbeam.model.svm.svm import SVM
    from hornbeam.show.texts.styles import Request

SCALED = {
    "normalize": "numbers from 0 to 1",
    "standardize": "numbers with mean 0 and deviation 1",
    None: "numbers as they are",
}
MOST_VECTORS = 10  # support vectors listed per machine
FEW_MACHINES = 3  # if there are more machines, no support vectors are listed
MOST_TERMS = 60


def in_style(model: SVM, request: Request) -> str:
    """Write a support vector machine in a style."""
    request.expect("a support vector machine", ("default", "ascii"))
    return write(model)


def write(model: SVM) -> str:
    """Write what the machines are: margin, support vectors, and the plane where there is one."""
    name = printable(model.schema.target_column.name, NAME_LIMIT)
    what = "the widest margin" if model.task == "classification" else "the flattest function"
    scale: Any = model.recipe.get("scale")
    scaled = "" if model.axes is None else f", {SCALED.get(scale, 'numbers scaled')}"
    lines = [f"{name}: {what}; kernel {model.kernel.describe()}, C {model.recipe.get('C')}{scaled}"]
    if model.weights is None:
        lines.append(f"support vectors: {len(model)}")
    if model.axes is not None and model.axes.n_factors > 1:
        lines.append(f"{len(model.axes)} products of {model.axes.n_factors} columns; columns are scaled before")
    for machine in range(model.n_machines):
        lines += ["", *_machine(model, machine)]
    return "\n".join(lines)


def _machine(model: SVM, machine: int) -> list[str]:
    lines = [_heading(model, machine)]
    if model.kernel.is_linear:
        lines += _plane(model, machine)
    few = model.n_machines <= FEW_MACHINES or not model.kernel.is_linear
    if model.weights is None and few and model.kept is not None:
        lines += support_vectors(model, machine)
    return lines


def _heading(model: SVM, machine: int) -> str:
    text = []
    margin = model.margin_width(machine)
    if np.isfinite(margin):  # a given kernel has none, nor has one that is not positive definite, if the norm is not
        text.append(f"margin {short_number(margin)} wide")
    if model.weights is None:
        count, bound = len(model.support(machine)), len(model.at_bound(machine))
        text.append(f"{count} support vectors, {bound} of them at the bound")
    lead = "" if model.task == "regression" else f"{_sides(model, machine)}: "
    return lead + ", ".join(text)


def _sides(model: SVM, machine: int) -> str:
    target = model.schema.target_column
    assert isinstance(target, Nominal)
    names = [printable(category, NAME_LIMIT) for category in target.categories]
    first, second = model.pairs[machine].tolist()
    return f"{names[second]} or another" if first == REST else f"{names[first]} or {names[second]}"


def _plane(model: SVM, machine: int) -> list[str]:
    """The equation, one term per line; for sparse rows, the columns of largest weight."""
    if model.axes is None:
        weights = model.planes[machine]
        order = np.argsort(-np.abs(weights), kind="stable")[:MOST_TERMS]
        names = [printable(model.schema.columns[model.schema.features[i]].name, NAME_LIMIT) for i in order]
        text = [(float(weights[i]), name) for i, name in zip(order.tolist(), names, strict=True) if weights[i]]
        intercept = float(model.intercepts[machine])
    else:
        intercept, terms = model.equation(machine)
        terms = tuple(sorted(terms, key=lambda term: -abs(term.coefficient))) if len(terms) > MOST_TERMS else terms
        text = [(term.coefficient, _words(term, model)) for term in terms[:MOST_TERMS]]
    lead = "  value ="
    if model.task == "classification":
        target = model.schema.target_column
        assert isinstance(target, Nominal)
        lead = f"  {printable(target.categories[int(model.pairs[machine, 1])], NAME_LIMIT)} where 0 <"
    figures = [short_number(abs(weight), FIGURES) for weight, _ in text]
    room = max(map(len, figures), default=0)
    lines = [f"{lead} {short_number(intercept, FIGURES)}"]
    for (weight, words), figure in zip(text, figures, strict=True):
        lines.append(f"    {'-' if weight < 0 else '+'} {figure.rjust(room)} {words}")
    count = int(np.count_nonzero(model.planes[machine]))
    return [*lines, f"    and {count - MOST_TERMS} more"] if count > MOST_TERMS else lines


def _words(term: Term, model: SVM) -> str:
    return term_words(term, model.schema)


def support_vectors(model: SVM, machine: int = 0, most: int | None = MOST_VECTORS) -> list[str]:
    """The support vectors of a machine as rows with their alphas, the largest first.

    A star marks the ones at the bound.
    """
    if model.kept is None:
        return []
    chosen = model.support(machine)
    alphas = np.abs(model.coefficients[machine, chosen])
    order = np.argsort(-alphas, kind="stable")
    bound = set(model.at_bound(machine).tolist())
    target, truth = model.schema.target_column, model.kept.target_values()
    lines = []
    for place in chosen[order][:most].tolist():
        alpha = short_number(abs(float(model.coefficients[machine, place])), FIGURES)
        values = ", ".join(
            f"{printable(model.schema.columns[f].name, NAME_LIMIT)} "
            f"{value_words(model.schema.columns[f], model.kept.columns[f][place])}"
            for f in model.schema.features
        )
        mark = "*" if place in bound else " "
        lines.append(f"  alpha {alpha}{mark} {value_words(target, truth[place])}: {values}")
    if most is not None and len(chosen) > most:
        lines.append(f"  and {len(chosen) - most} more")
    return lines


def explain_margin(model: SVM, table: Table, row: int) -> str:
    """Write why a row gets its prediction: the decision value of each machine, and the parts of those that decide."""
    one = align(model.schema, table.take(np.array([row])))
    decisions = model.decisions(one)
    target = model.schema.target_column
    lines = [f"row {row + 1}:"]
    if isinstance(target, Nominal):
        predicted = int(model.codes(decisions)[0])
        text = printable(target.categories[predicted], NAME_LIMIT)
        for machine in range(model.n_machines):
            value = float(decisions[0, machine])
            first, second = model.pairs[machine].tolist()
            says = second if value > 0 else first
            said = "another" if says == REST else printable(target.categories[says], NAME_LIMIT)
            lines.append(f"  {_sides(model, machine)}: {said}, at {short_number(value)} (margin from -1 to 1)")
            if predicted in (first, second) and (first != REST or predicted == second):
                lines += _parts(model, machine, one)
    else:
        text = short_number(float(decisions[0, 0]), FIGURES)
        lines += _parts(model, 0, one)
    return "\n".join([*lines, f"so {printable(target.name, NAME_LIMIT)} = {text}"])


def _parts(model: SVM, machine: int, one: Table) -> list[str]:
    """What terms, or support vectors, add; the largest first."""
    text: list[tuple[float, str]] = []
    if model.kernel.is_linear and model.axes is not None:
        matrix = model.axes.matrix(one)[0] * model.planes[machine]
        if model.axes.n_factors == 1:
            intercept, terms = model.equation(machine)
            text = [(float((term.coefficient * term.values(one))[0]), _words(term, model)) for term in terms]
            text.append((intercept, "intercept"))
        else:
            text = [(float(matrix.sum()), f"{len(matrix)} products"), (float(model.intercepts[machine]), "intercept")]
    elif model.kept is not None and model.axes is not None:
        near = model.kernel.values(model.axes.matrix(one), model.axes.matrix(model.kept))[0]
        target, truth = model.schema.target_column, model.kept.target_values()
        for place in model.support(machine).tolist():
            alpha = short_number(abs(float(model.coefficients[machine, place])))
            what = f"support vector {place + 1}, {value_words(target, truth[place])}, alpha {alpha}"
            text.append((float(near[place] * model.coefficients[machine, place]), what))
        text.append((float(model.intercepts[machine]), "intercept"))
    text.sort(key=lambda part: -abs(part[0]))
    figures = [short_number(value) for value, _ in text[:MOST_VECTORS]]
    room = max(map(len, figures), default=0)
    lines = [f"    {figure.rjust(room)}  {words}" for figure, (_, words) in zip(figures, text, strict=False)]
    rest = text[MOST_VECTORS:]
    return [*lines, f"    {short_number(sum(v for v, _ in rest))}  {len(rest)} more"] if rest else lines
