"""Why a row gets its prediction: the kept rows or boxes that decide it, and how much each contributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.in_words import percent, plural
from hornbeam.data.schema import Nominal
from hornbeam.model.base.align import align
from hornbeam.show.texts.explanation import explain
from hornbeam.show.texts.linear.linear_text import FIGURES
from hornbeam.show.texts.neighbors.instances_text import divided_line, row_words, value_words
from hornbeam.show.texts.wording import NAME_LIMIT, amounts, conditions_of, printable, short_number, width

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.neighbors.corrected import CorrectedModel
    from hornbeam.model.neighbors.exemplars import Exemplars
    from hornbeam.model.neighbors.instances import Instances
    from hornbeam.model.neighbors.kstar import KStarModel
    from hornbeam.model.neighbors.local import LocalModel
    from hornbeam.model.neighbors.local_learner import LocalLearner

MOST_ROWS = 10
LEAST = 0.0005  # less would be written as 0.0%
MOST_BOXES = 5
MOST_COLUMNS = 6


def explain_neighbors(model: Instances, table: Table, row: int) -> str:
    """Write the neighbors that decide the prediction of a row, and what each column adds to their distance.

    Columns are listed by the size of the difference, largest first; values are those of the neighbor.
    """
    one = align(model.schema, table.take(np.array([row])))
    rows, far = model.neighbors(one).of(0)
    outputs = model.combined(model.neighbors(one))[0]
    target = model.schema.target_column
    predicted = int(outputs.argmax()) if isinstance(target, Nominal) else float(outputs[0])
    lines = [f"row {row + 1}: {row_words(one, 0)}", *_divided(model)]
    for place, distance in zip(rows[:MOST_ROWS].tolist(), far[:MOST_ROWS].tolist(), strict=True):
        truth = value_words(target, model.kept.target_values()[place])
        lines.append(f"  {short_number(distance)} from kept row {place + 1}, {truth}{differing(model, one, place)}")
    if len(rows) > MOST_ROWS:
        lines.append(f"  and {len(rows) - MOST_ROWS} more")
    return "\n".join([*lines, f"so {printable(target.name, NAME_LIMIT)} = {value_words(target, predicted)}"])


def _divided(model: Instances | Exemplars) -> list[str]:
    """The line about class weights, if there are any."""
    return [] if model.divisors is None else [f"  {divided_line(model.schema.target_column, model.divisors)}"]


def differing(model: Instances, one: Table, place: int) -> str:
    """The columns in which a kept row differs, largest difference first."""
    distance = model.distance
    if model.class_columns is not None:
        distance = distance.weighted(model.class_columns[model.kept.target_values()[place]])
    apart = distance.differences(distance.points(one), model.points.take([place]))[:, 0, 0]
    order = np.argsort(-np.nan_to_num(apart), kind="stable")
    words = []
    for f in order.tolist():
        if not apart[f] > 0:
            continue
        position = model.schema.features[f]
        column = model.schema.columns[position]
        value = value_words(column, model.kept.columns[position][place])
        words.append(f"{printable(column.name, NAME_LIMIT)} {value} ({short_number(float(apart[f]))})")
    more = [f"{len(words) - MOST_COLUMNS} more"] if len(words) > MOST_COLUMNS else []
    return ": " + ", ".join([*words[:MOST_COLUMNS], *more]) if words else ": no difference"


def explain_correction(model: CorrectedModel, table: Table, row: int) -> str:
    """Write below the explanation of the uncorrected prediction which rows correct it, and by how much."""
    text = explain(model.base, table, row)
    one = align(model.schema, table.take(np.array([row])))
    neighbors = model.near.neighbors(one)
    rows, far = neighbors.of(0)
    says = model.influence(neighbors)
    name = printable(model.schema.target_column.name, NAME_LIMIT)
    predicted = short_number(float(model.predict_codes(one)[0]), FIGURES)
    if not says.any():
        return f"{text}\nno training row is within {short_number(model.reach)}, so {name} stays {predicted}"
    shares = says / says.sum()
    added = [
        short_number(float(share * model.residuals[place]), FIGURES) if share else ""
        for place, share in zip(rows, shares, strict=True)
    ]
    room = max(width(number) for number in added)
    lines = [text, "corrected by the residuals of training rows:"]
    target = model.near.kept.target_values()
    for number, place, share, apart in list(zip(added, rows.tolist(), shares, far, strict=True))[:MOST_ROWS]:
        truth = value_words(model.schema.target_column, target[place])
        if share:
            off = short_number(float(model.residuals[place]), FIGURES)
            how = f"{percent(share, 0)} of {off}: row {place + 1}, {truth}, {short_number(float(apart))} away"
        else:
            how = f"too far: row {place + 1}, {truth}, {short_number(float(apart))} away"
        lines.append(f"  {number.rjust(room)}  {how}{differing(model.near, one, place)}")
    if len(rows) > MOST_ROWS:
        lines.append(f"  and {len(rows) - MOST_ROWS} more")
    return "\n".join([*lines, f"so {name} = {predicted}"])


def explain_kstar(model: KStarModel, table: Table, row: int) -> str:
    """Write the kept rows with the largest weights, which add up to 100%; the prediction is their weighted average."""
    one = align(model.schema, table.take(np.array([row])))
    weights = model.row_weights(one)[0]
    lines = [f"row {row + 1}: {row_words(one, 0)}"]
    if not weights.any():
        lines.append("  no kept row is likely enough to count")
    return "\n".join([*lines, *_weighted_rows(model, weights), _so(model, one, "their mean")])


def explain_local(model: LocalModel | LocalLearner, table: Table, row: int) -> str:
    """Write the kept rows with the largest weights, which add up to 100%, and what is learned from them."""
    one = align(model.schema, table.take(np.array([row])))
    _, found = next(model.near.weights(model.kept, one, 1))
    weights = found[0] / found[0].sum() if found[0].any() else found[0]
    learner = getattr(model, "learner", None)
    by = "the linear regression of these rows" if learner is None else f"a {type(learner).__name__} of these rows"
    lines = [f"row {row + 1}: {row_words(one, 0)}", *_weighted_rows(model, weights)]
    return "\n".join([*lines, _so(model, one, f"by {by}")])


def _weighted_rows(model: KStarModel | LocalModel | LocalLearner, weights: NDArray[np.float64]) -> list[str]:
    """List the kept rows with the largest weights; others are counted together."""
    target, lines = model.schema.target_column, []
    order = np.argsort(-weights, kind="stable")
    order = order[weights[order] > 0]
    shown = min(max(1, int((weights >= LEAST).sum())), MOST_ROWS)
    for place in order[:shown].tolist():
        truth = value_words(target, model.kept.target_values()[place])
        values = row_words(model.kept, place)
        lines.append(f"  {percent(float(weights[place])):>6} kept row {place + 1}, {truth}: {values}")
    rest = order[shown:]
    if len(rest):
        lines.append(f"  {percent(float(weights[rest].sum())):>6} {plural(len(rest), 'more row')}")
    return lines


def _so(model: KStarModel | LocalModel | LocalLearner, one: Table, by: str) -> str:
    """Write the prediction: a number and where it comes from, or a class with the probabilities."""
    target = model.schema.target_column
    name = printable(target.name, NAME_LIMIT)
    if not isinstance(target, Nominal):
        return f"so {name} = {short_number(float(model.predict_codes(one)[0]), FIGURES)}, {by}"
    shares = model.predict_proba(one)[0]
    words = ", ".join(
        f"{printable(category, NAME_LIMIT)} {percent(float(share))}"
        for category, share in zip(target.categories, shares, strict=True)
        if share >= LEAST
    )
    learned = "" if by == "their mean" else f", {by}"
    return f"so {name} = {value_words(target, int(model.predict_codes(one)[0]))} ({words}){learned}"


def explain_boxes(model: Exemplars, table: Table, row: int) -> str:
    """Write the nearest boxes, nearest first: the first decides.

    Columns in which the row is outside a box add to its distance.
    """
    one = align(model.schema, table.take(np.array([row])))
    apart = model.differences(one)[0]
    order = model.by_distance(one)[0]
    target = model.schema.target_column
    lines = [f"row {row + 1}: {row_words(one, 0)}", *_divided(model)]
    for box in order[:MOST_BOXES].tolist():
        squared = apart[box]
        label = value_words(target, model.label[box])
        (rows,) = amounts([float(model.rows[box])])
        what = f"box {box + 1}, {label}, of {rows} {'row' if rows == '1' else 'rows'}"
        if not squared.any():
            lines.append(f"  in {what}: {_conditions(model, box)}")
            continue
        features = np.argsort(-squared, kind="stable")
        outside = [
            f"{printable(model.schema.columns[model.schema.features[f]].name, NAME_LIMIT)} "
            f"({short_number(float(np.sqrt(squared[f])))})"
            for f in features.tolist()
            if squared[f] > 0
        ]
        more = [f"{len(outside) - MOST_COLUMNS} more"] if len(outside) > MOST_COLUMNS else []
        words = ", ".join([*outside[:MOST_COLUMNS], *more])
        lines.append(f"  {short_number(float(np.sqrt(squared.sum())))} from {what}, outside in {words}")
    if len(order) > MOST_BOXES:
        lines.append(f"  and {len(order) - MOST_BOXES} boxes farther away")
    predicted = value_words(target, model.label[order[0]])
    return "\n".join([*lines, f"so {printable(target.name, NAME_LIMIT)} = {predicted}, as box {order[0] + 1}"])


def _conditions(model: Exemplars, box: int) -> str:
    """The limits of a box; a range of one number is written as that number."""
    words = conditions_of(model.conditions(box), model.schema)
    return " and ".join(words) or "all rows"
