"""Forests and ensembles as text, and why a forest predicts as it does for one row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal
from hornbeam.model.base.align import align
from hornbeam.model.forests.contributions import contributions
from hornbeam.model.rules.rule import RuleList
from hornbeam.model.trees.tree import Tree
from hornbeam.show.texts.explanation import explain
from hornbeam.show.texts.linear.linear_text import FIGURES
from hornbeam.show.texts.neighbors.instances_text import value_words
from hornbeam.show.texts.wording import NAME_LIMIT, printable, short_number, width

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Ints64
    from hornbeam.data.table import Table
    from hornbeam.model.forests.ensemble import Ensemble
    from hornbeam.model.forests.forest import Forest
    from hornbeam.show.texts.styles import Request

HOW = {"mean": "the mean of", "sum": "the sum of", "vote": "the votes of"}
LINKS = {"identity": "", "logistic": ", by the logistic function", "softmax": ", by softmax", "exp": ", exponentiated"}
MOST_COLUMNS = 20  # in a list; the rest is summed
BAR = 24  # length of the longest bar, in characters
START = "start, before any split"


def forest_in_style(forest: Forest, request: Request) -> str:
    """Write a forest in a style."""
    request.expect("a forest", ("default", "ascii"))
    return write_forest(forest, plain=request.plain)


def ensemble_in_style(model: Ensemble, request: Request) -> str:
    """Write one line per member, or every member in full."""
    if request.style in ("default", "ascii") and not request.has_options:
        return write_ensemble(model)
    parts = [f"member {number}\n\n{request.text(member)}" for number, member in enumerate(model.members, start=1)]
    return "\n\n".join([write_ensemble(model).partition("\n")[0], *parts])


def write_ensemble(model: Ensemble) -> str:
    """Write one line per member."""
    digits = len(str(len(model.members)))
    lines = [f"{printable(model.schema.target_column.name)}: {HOW[model.decide]} {len(model.members)} models"]
    lines += [f"  {number:{digits}}  {_size(member)}" for number, member in enumerate(model.members, start=1)]
    return "\n".join(lines)


def _size(member: Any) -> str:  # noqa: ANN401 - any model
    """Describe a member in a few words."""
    if isinstance(member, Tree):
        leaves = "1 leaf" if member.n_leaves == 1 else f"{member.n_leaves} leaves"
        return f"tree: {leaves}, depth {member.depth}"
    if isinstance(member, RuleList):
        return f"rules: {len(member.rules)}"
    return repr(member)


def write_forest(forest: Forest, *, plain: bool = False) -> str:
    """Write the size of a forest and the importance of its columns; `plain`: without block characters."""
    leaves = np.diff(offsets(forest.first_child < 0)[forest.roots])
    depth = depths(forest)
    name = printable(forest.schema.target_column.name, NAME_LIMIT)
    count = plural(forest.n_trees, "tree")
    lines = [
        f"{name}: {HOW[forest.combine]} {count}{LINKS[forest.link]}",
        f"leaves: {forest.n_leaves} in all, {_range(leaves)} per tree; depth {_range(depth)}",
    ]
    importance = importance_by_name(forest)
    if any(importance.values()):
        lines += ["", "importance: fraction of the gain of all splits", *_bars(importance, "#" if plain else "█")]
    return "\n".join(lines)


def importance_by_name(forest: Forest) -> dict[str, float]:
    """The fraction of the gain of all splits due to each column, greatest first (equal ones in the schema's order)."""
    names = [forest.schema.columns[position].name for position in forest.schema.features]
    importance = forest.importance()
    return {names[i]: float(importance[i]) for i in np.argsort(-importance, kind="stable")}


def depths(forest: Forest) -> Ints64:
    """The depth of each tree."""
    depth = np.zeros(forest.n_trees, np.int64)
    level, tree = forest.roots[:-1], np.arange(forest.n_trees)
    while len(level):
        inner = forest.first_child[level] >= 0
        first, tree = forest.first_child[level[inner]].astype(np.int64), tree[inner]
        depth[tree] += 1  # once per tree, however often it is listed
        level, tree = np.concatenate([first, first + 1]), np.concatenate([tree, tree])
    return depth


def _range(values: Ints64) -> str:
    low, high = int(values.min()), int(values.max())
    return str(low) if low == high else f"{low} to {high}"


def _bars(importance: dict[str, float], mark: str) -> list[str]:
    shown = [(printable(name, NAME_LIMIT), value) for name, value in list(importance.items())[:MOST_COLUMNS]]
    wide = max(width(name) for name, _ in shown)
    most = max(value for _, value in shown)
    lines = [
        f"  {name}{' ' * (wide - width(name))}  {short_number(round(value, 4)):>6}  {mark * round(BAR * value / most)}"
        for name, value in shown
    ]
    left = len(importance) - len(shown)
    return [line.rstrip() for line in lines] + ([f"  ... {left} more"] if left else [])


def explain_forest(forest: Forest, table: Table, row: int) -> str:
    """Write what each column adds to the prediction of one row; for boosted classes, to the score of the class."""
    one = align(forest.schema, table.take(np.array([row])))
    parts = contributions(forest, one)
    target = forest.schema.target_column
    name = printable(target.name, NAME_LIMIT)
    predicted = forest.predict_codes(one)[0]
    output = int(predicted) if isinstance(target, Nominal) and forest.n_outputs > 1 else 0
    steps = parts.of(0, output)
    values = {
        forest.schema.columns[place].name: value_words(forest.schema.columns[place], one.columns[place][0])
        for place in forest.schema.features
    }
    steps_shown = [(float(parts.bias[output]), START)]
    steps_shown += [
        (step, f"{printable(column, NAME_LIMIT)} {values[column]}") for column, step in steps[:MOST_COLUMNS]
    ]
    rest = steps[MOST_COLUMNS:]
    if rest:
        steps_shown.append((sum(step for _, step in rest), plural(len(rest), "more column")))
    numbers = [short_number(step) for step, _ in steps_shown]
    total = short_number(float(parts.prediction[0, output]))
    longest = max(map(width, [*numbers, total]))
    what = _what(forest, parts.outputs[output])
    lines = [f"row {row + 1}: {what}, {HOW[forest.combine]} {plural(forest.n_trees, 'tree')}"]
    lines += [f"  {number.rjust(longest)}  {words}" for number, (_, words) in zip(numbers, steps_shown, strict=True)]
    lines.append(f"  {total.rjust(longest)}  sum{_linked(forest, one, output)}")
    return "\n".join([*lines, f"so {name} = {value_words(target, predicted)}"])


def explain_ensemble(model: Ensemble, table: Table, row: int) -> str:
    """Write what each member predicts, and what they predict together."""
    one = table.take(np.array([row]))
    target, found = model.schema.target_column, model.predict_codes(one)[0]
    whole = target.categories[found] if isinstance(target, Nominal) else short_number(float(found), FIGURES)
    lines = [f"row {row + 1}:"]
    for number, member in enumerate(model.members, start=1):
        lines += [f"member {number}", *explain(member, table, row).split("\n")[1:]]
    how = "mean" if model.decide == "mean" else "most votes"
    name = printable(target.name, NAME_LIMIT)
    return "\n".join([*lines, f"together {name} = {whole}, the {how} of {len(model)} members"])


def _what(forest: Forest, output: str) -> str:
    """What the columns add to."""
    if forest.task == "regression":
        return printable(output, NAME_LIMIT) if forest.link == "identity" else "score"
    kind = "probability" if forest.link == "identity" else "score"
    return f"{kind} of {printable(output, NAME_LIMIT)}"


def _linked(forest: Forest, one: Table, output: int) -> str:
    """How the sum becomes the prediction, if it is not the prediction itself."""
    if forest.link == "logistic":
        return f"; by the logistic function a probability of {short_number(float(forest.predict_proba(one)[0, 1]))}"
    if forest.link == "exp":
        return f"; its exponential is {short_number(float(forest.predict_codes(one)[0]))}"
    if forest.link == "softmax":
        target = forest.schema.target_column
        assert isinstance(target, Nominal)
        scores = forest.scores(one)[0].tolist()
        others = ", ".join(
            f"{printable(category, NAME_LIMIT)} {short_number(score)}"
            for code, (category, score) in enumerate(zip(target.categories, scores, strict=True))
            if code != output
        )
        probability = short_number(float(forest.predict_proba(one)[0, output]))
        return f"; the other scores are {others}; by softmax a probability of {probability}"
    return ""
