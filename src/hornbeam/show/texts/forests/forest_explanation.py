"""Why a row gets its prediction from a forest: what each column adds along the paths; it sums to the prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.data.schema import Nominal
from hornbeam.model.base.align import align
from hornbeam.model.forests.contributions import contributions
from hornbeam.show.texts.forests.forest_text import HOW
from hornbeam.show.texts.neighbors.instances_text import value_words
from hornbeam.show.texts.wording import NAME_LIMIT, printable, short_number, width

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.model.forests.forest import Forest

MOST_COLUMNS = 20  # told one by one
START = "start, before any column"


def explain_forest(forest: Forest, table: Table, row: int) -> str:
    """Write what each column adds to one row's prediction; of boosted classes, to the score of the class."""
    one = align(forest.schema, table.take(np.array([row])))
    found = contributions(forest, one)
    target = forest.schema.target_column
    name = printable(target.name, NAME_LIMIT)
    predicted = forest.predict(one)[0]
    output = int(predicted) if isinstance(target, Nominal) and forest.n_outputs > 1 else 0
    steps = found.of(0, output)
    values = {
        forest.schema.columns[place].name: value_words(forest.schema.columns[place], one.columns[place][0])
        for place in forest.schema.features
    }
    told = [(float(found.bias[output]), START)]
    told += [(step, f"{printable(column, NAME_LIMIT)} {values[column]}") for column, step in steps[:MOST_COLUMNS]]
    rest = steps[MOST_COLUMNS:]
    if rest:
        told.append((sum(step for _, step in rest), f"{len(rest)} columns more"))
    figures = [short_number(step) for step, _ in told]
    total = short_number(float(found.prediction[0, output]))
    room = max(map(width, [*figures, total]))
    what = _what(forest, found.outputs[output])
    lines = [f"row {row + 1}: {what}, {HOW[forest.combine]} {plural(forest.n_trees, 'tree')}"]
    lines += [f"  {figure.rjust(room)}  {words}" for figure, (_, words) in zip(figures, told, strict=True)]
    lines.append(f"  {total.rjust(room)}  sum{_linked(forest, one, output)}")
    answer = value_words(target, predicted)
    return "\n".join([*lines, f"so {name} = {answer}"])


def _what(forest: Forest, output: str) -> str:
    """What is added up."""
    if forest.task == "regression":
        return printable(output, NAME_LIMIT) if forest.link == "identity" else "score"
    kind = "probability" if forest.link == "identity" else "score"
    return f"{kind} of {printable(output, NAME_LIMIT)}"


def _linked(forest: Forest, one: Table, output: int) -> str:
    """How the sum becomes the prediction, where it is not the prediction itself."""
    if forest.link == "logistic":
        return f"; by the logistic function a probability of {short_number(float(forest.predict_proba(one)[0, 1]))}"
    if forest.link == "exp":
        return f"; its exponential is {short_number(float(forest.predict(one)[0]))}"
    if forest.link == "softmax":
        target = forest.schema.target_column
        assert isinstance(target, Nominal)
        scores = forest.scores(one)[0].tolist()
        others = ", ".join(
            f"{printable(category, NAME_LIMIT)} {short_number(score)}"
            for place, (category, score) in enumerate(zip(target.categories, scores, strict=True))
            if place != output
        )
        share = short_number(float(forest.predict_proba(one)[0, output]))
        return f"; the other scores are {others}; by softmax a probability of {share}"
    return ""
