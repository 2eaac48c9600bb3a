"""Rules, equations, ensembles and other models as SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.core.base.tolerance import LEAST_SHARE, TIE
from hornbeam.export.sql_writer.forests import forest_outputs
from hornbeam.export.sql_writer.mixtures import mixture_outputs
from hornbeam.export.sql_writer.trees import Outputs, compared, greatest, tree_outputs
from hornbeam.export.writers import writer_of_kind
from hornbeam.model.svm.kernel import ON_PLANE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.export.sql_writer.layers import Layers

FIRES = 0.5  # deciding by first match, a rule fires for a row that passes with at least this weight
TWO = 2  # classes, whose probabilities need no iteration


def model_outputs(layers: Layers, plain: dict[str, Any], kept: Sequence[str] = ()) -> Outputs:
    """Add the columns of a model's outputs to a query; other columns that are still needed are kept."""
    reasons = dict.fromkeys(("instances", "corrected"), "it compares each row with all kept rows")
    return writer_of_kind(KINDS, plain["kind"], "SQL", reasons)(layers, plain, kept)


# ---- equations ----


def equation(layers: Layers, plain: dict[str, Any]) -> str:
    """Return the expression of an equation."""
    number = layers.dialect.number
    terms = [number(float(plain["intercept"]))]
    for weight, rest in plain["parts"]:
        if isinstance(weight, list):
            terms.append(layers.looked_up(rest, weight))
        else:
            product = " * ".join(factor(layers, each) for each in rest)
            terms.append(f"{number(float(weight))} * ({product})")
    return layers.dialect.sum_in_order(terms)


def factor(layers: Layers, plain: Sequence[Any]) -> str:
    """Return the expression of a factor: [column, table], or [column, fill, power]."""
    column = plain[0]
    if len(plain) == 2:  # noqa: PLR2004 - a column and a table
        return layers.looked_up(column, plain[1])
    value = f"COALESCE({layers.values[column]}, {layers.dialect.number(float(plain[1]))})"
    power = " * ".join([value] * int(plain[2]))
    return f"({power})" if int(plain[2]) > 1 else power


def linear_outputs(layers: Layers, plain: dict[str, Any], kept: Sequence[str]) -> Outputs:
    """Add the column of a linear model."""
    return Outputs(layers.add([equation(layers, plain)], kept))


# ---- rules ----


def weight(layers: Layers, conditions: Sequence[Sequence[Any]]) -> str:
    """Return the expression of the weight with which a row satisfies conditions."""
    number = layers.dialect.number
    parts = []
    for condition in conditions:
        holds, unknown = _condition(layers, condition)
        missing = f"WHEN {unknown} THEN {number(float(condition[3]))} "
        parts.append(f"CASE {missing}WHEN {holds} THEN {number(1.0)} ELSE {number(0.0)} END")
    return " * ".join(parts) if parts else number(1.0)


def fires(layers: Layers, conditions: Sequence[Sequence[Any]]) -> str:
    """Return the condition that a row satisfies conditions with a weight of at least one half."""
    if any(float(each[3]) not in (0.0, 1.0) for each in conditions):
        return f"{weight(layers, conditions)} >= {layers.dialect.number(FIRES)}"
    parts = []
    for condition in conditions:
        holds, unknown = _condition(layers, condition)
        if float(condition[3]) == 1.0:
            parts.append(f"({holds} OR {unknown})")
        else:
            parts.append(
                holds if unknown == f"{layers.values[condition[1]]} IS NULL" else f"({holds} AND NOT {unknown})"
            )
    return " AND ".join(parts) if parts else "1 = 1"


def _condition(layers: Layers, condition: Sequence[Any]) -> tuple[str, str]:
    """Return when a condition holds, and when its value counts as missing."""
    sign, column, bound = condition[:3]
    value = layers.values[column]
    unknown = f"{value} IS NULL"
    if sign not in ("in", "missing"):
        return compared(value, sign, float(bound), layers.dialect.number), unknown
    if condition[4]:
        unknown = f"({unknown} OR {layers.is_in(column, condition[4])})"
    return layers.is_in(column, bound), unknown


class RuleQuery:
    """Rules of a program as numbered results: every rule, default and exception that can decide has a number."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.results: list[tuple[list[str], int]] = []  # the outputs and the label

    def first(self, plain: dict[str, Any], otherwise: str | None) -> str:
        """Return the number of the result of a list that decides by its first rule that fires.

        `otherwise` is the result of a list whose rules do not fire, if it is the list of a rule's exceptions.
        """
        if plain["decide"] != "first":
            msg = "cannot write weighted exceptions as SQL; the formats python and javascript can hold them"
            raise TypeError(msg)
        whens = [f"WHEN {fires(self.layers, rule['conditions'])} THEN {self.rule(rule)}" for rule in plain["rules"]]
        last = otherwise
        if last is None:
            last = self.rule(plain["default"]) if plain["default"] else self._result(plain["nothing"], -1)
        return f"CASE {' '.join(whens)} ELSE {last} END" if whens else last

    def rule(self, plain: dict[str, Any]) -> str:
        """Return the number of a rule's own result, or of that of its exceptions."""
        if "equation" in plain:
            own = self._add([equation(self.layers, plain["equation"])], plain["label"])
        else:
            own = self._result(plain["outputs"], plain["label"])
        return self.first(plain["exceptions"], own) if "exceptions" in plain else own

    def _result(self, outputs: Sequence[Any], label: int) -> str:
        number = self.layers.dialect.number
        return self._add([_nullable(float(each), number) for each in outputs], label)

    def _add(self, outputs: list[str], label: int) -> str:
        self.results.append((outputs, label))
        return str(len(self.results) - 1)


def _nullable(value: float, number: Callable[[float], str]) -> str:
    return number(value) if value == value else "NULL"  # noqa: PLR0124 - NaN


def rules_outputs(layers: Layers, plain: dict[str, Any], kept: Sequence[str]) -> Outputs:
    """Add the columns of a rule list."""
    if plain["decide"] != "first":
        return _weighed_rules(layers, plain, kept)
    query = RuleQuery(layers)
    (which,) = layers.add([query.first(plain, None)], kept)
    results = query.results
    outputs = [_by_result(which, [outputs[k] for outputs, _ in results]) for k in range(len(results[0][0]))]
    labels = _by_result(which, [str(-1 if label is None else label) for _, label in results])
    columns = layers.add([*outputs, labels], [which, *kept])
    return Outputs(columns[:-1], columns[-1])


def _by_result(which: str, values: list[str]) -> str:
    numbers: dict[str, list[str]] = {}
    for number, value in enumerate(values):
        numbers.setdefault(value, []).append(str(number))
    if len(numbers) == 1:
        return values[0]
    whens = " ".join(f"WHEN {which} IN ({', '.join(listed)}) THEN {value}" for value, listed in numbers.items())
    return f"CASE {whens} END"


def _weighed_rules(layers: Layers, plain: dict[str, Any], kept: Sequence[str]) -> Outputs:
    """Rules that vote, each with its weight, or with the weight that earlier rules left."""
    number, rules = layers.dialect.number, plain["rules"]
    if any("exceptions" in rule for rule in rules):
        msg = "cannot write weighted rules with exceptions as SQL; the formats python and javascript can hold them"
        raise TypeError(msg)
    remaining = plain["decide"] == "remaining"
    weights = layers.add([weight(layers, rule["conditions"]) for rule in rules], kept)
    listed = list(rules)
    if remaining:
        left: list[str] = []
        for each in weights:
            before = f"{left[-1]} - {left[-1]} * {each}" if left else f"{number(1.0)} - {each}"
            left += layers.add([before], [*weights, *left, *kept])
        shares = (
            [weights[0], *(f"{each} * {rest}" for each, rest in zip(weights[1:], left, strict=False))]
            if weights
            else []
        )
        if plain["default"]:
            rest = left[-1] if left else number(1.0)
            shares.append(f"CASE WHEN {rest} > {number(LEAST_SHARE)} THEN {rest} ELSE {number(0.0)} END")
            listed.append(plain["default"])
        weights = layers.add(shares, [*weights, *left, *kept])
    outputs = [
        [equation(layers, rule["equation"])] if "equation" in rule else [number(float(v)) for v in rule["outputs"]]
        for rule in listed
    ]
    size = len(plain["nothing"])
    add = layers.dialect.sum_of
    used = add([f"CASE WHEN {each} > {number(0.0)} THEN 1 ELSE 0 END" for each in weights]) if weights else "0"
    parts = [add([f"{w} * ({out[k]})" for w, out in zip(weights, outputs, strict=True)]) for k in range(size)]
    *sums, total, count = layers.add([*parts, add(list(weights)), used], [*weights, *kept])
    default = plain["default"]
    nothing = default["outputs"] if default else plain["nothing"]
    none = [_nullable(float(each), number) for each in nothing]
    if default and "equation" in default:
        none = [equation(layers, default["equation"])]
    mixed = [f"CASE WHEN {count} > 0 THEN {one} / {total} ELSE {no} END" for one, no in zip(sums, none, strict=True)]
    columns = layers.add(mixed, [*sums, total, count, *weights, *kept])
    single = " ".join(f"WHEN {w} > {number(0.0)} THEN {r['label']}" for w, r in zip(weights, listed, strict=True))
    best, *needed = greatest(layers, columns, TIE, [*columns, count, *weights, *kept])
    own = default["label"] if default else -1
    one = f"CASE {single} END" if single else str(own)
    label = f"CASE WHEN {count} > 1 THEN {best} WHEN {count} = 1 THEN {one} ELSE {own} END"
    (name,) = layers.add([label], [*columns, count, *weights, *needed, *kept])
    return Outputs(columns, name)


# ---- several models together ----


def intervals_outputs(layers: Layers, plain: dict[str, Any], kept: Sequence[str]) -> Outputs:
    """Add the column of a classifier of intervals."""
    number = layers.dialect.number
    inner = model_outputs(layers, plain["classifier"], kept).columns
    mean = layers.dialect.sum_of([f"{p} * {number(float(v))}" for p, v in zip(inner, plain["values"], strict=True)])
    total = layers.dialect.sum_of(list(inner))
    value = f"CASE WHEN {total} > {number(0.0)} THEN {mean} ELSE {number(float(plain['default']))} END"
    return Outputs(layers.add([value], [*inner, *kept]))


def ensemble_outputs(layers: Layers, plain: dict[str, Any], kept: Sequence[str]) -> Outputs:
    """Add the columns of an ensemble: the means of its members."""
    number, zero, size = layers.dialect.number, layers.dialect.number(0.0), len(plain["default"])
    members: list[list[str]] = []
    known: list[str] = []
    for member in plain["members"]:
        inner = model_outputs(layers, member, [*kept, *(name for one in members for name in one), *known])
        columns = inner.columns
        if plain["decide"] == "vote":
            columns = [f"CASE WHEN {inner.label} = {k} THEN {number(1.0)} ELSE {zero} END" for k in range(size)]
        is_known = f"{' + '.join(columns)} > {zero}" if plain["classes"] else f"{columns[0]} IS NOT NULL"
        before = [*kept, *(name for one in members for name in one), *known, *inner.columns]
        before += [inner.label] if inner.label else []
        *names, flag = layers.add([*columns, f"CASE WHEN {is_known} THEN 1 ELSE 0 END"], before)
        members.append(names)
        known.append(flag)
    add = layers.dialect.sum_of
    sums = [
        add([f"COALESCE({one[k]}, {zero}) * {f}" for one, f in zip(members, known, strict=True)]) for k in range(size)
    ]
    every = [*(name for one in members for name in one), *known]
    *parts, count = layers.add([*sums, add(list(known))], [*every, *kept])
    means = [f"{each} / {count}" for each in parts]
    if not plain["classes"]:  # a mean lies between the least and the greatest
        low = [f"COALESCE({one[0]}, {number(1e308)})" for one in members]
        high = [f"COALESCE({one[0]}, {number(-1e308)})" for one in members]
        dialect = layers.dialect
        least, most = (low[0], high[0]) if len(low) == 1 else (dialect.least(low), dialect.greatest(high))
        means = [dialect.least([dialect.greatest([means[0], least]), most])]
    mixed = [
        f"CASE WHEN {count} > 0 THEN {mean} ELSE {_nullable(float(default), number)} END"
        for mean, default in zip(means, plain["default"], strict=True)
    ]
    columns = layers.add(mixed, [*parts, count, *every, *kept])
    if not plain["classes"]:
        return Outputs(columns)
    best, *needed = greatest(layers, columns, TIE, [*columns, *kept])
    (label,) = layers.add([best], [*columns, *needed, *kept])
    return Outputs(columns, label)


# ---- planes and centers ----


def margin_outputs(layers: Layers, plain: dict[str, Any], kept: Sequence[str]) -> Outputs:
    """Add the columns of a support vector machine with a linear kernel."""
    if (
        "kernel" in plain
        or "products" in plain
        or (plain["classes"] > TWO and "slopes" in plain and plain["pairs"][0][0] >= 0)
    ):
        msg = (
            "cannot write this support vector machine as SQL: its kernel is computed in single precision, or its "
            "probabilities by iteration; a linear kernel without probabilities can be written, and the formats python "
            "and javascript can hold every kernel"
        )
        raise TypeError(msg)
    number, classes = layers.dialect.number, plain["classes"]
    axes = [
        f"({factor(layers, each)} - {number(float(shift))}) / {number(float(width))}"
        for each, shift, width in plain["axes"]
    ]
    point = layers.add(axes, kept)
    margins = [
        layers.dialect.sum_of(
            [
                *(f"{number(float(w))} * {x}" for w, x in zip(one["plane"], point, strict=True)),
                number(float(one["intercept"])),
            ]
        )
        for one in plain["machines"]
    ]
    names = layers.add(margins, [*point, *kept])
    if not classes:
        return Outputs(names)
    return _votes(layers, plain, names, kept)


def _votes(layers: Layers, plain: dict[str, Any], margins: list[str], kept: Sequence[str]) -> Outputs:
    number, pairs, classes = layers.dialect.number, plain["pairs"], plain["classes"]
    one, zero, plane = number(1.0), number(0.0), number(ON_PLANE)
    outputs = [zero] * classes
    needed: list[str] = []
    if "slopes" in plain:
        logits = [
            f"{one} / ({one} + {layers.dialect.exp(f'{m} * {number(float(a))} + {number(float(b))}')})"
            for m, (a, b) in zip(margins, plain["slopes"], strict=True)
        ]
        of_pairs = layers.add(logits, [*margins, *kept])
        needed = of_pairs
        if pairs[0][0] >= 0:
            outputs[pairs[0][1]], outputs[pairs[0][0]] = of_pairs[0], f"{one} - {of_pairs[0]}"
        else:
            total = " + ".join(of_pairs)
            for (_, code), each in zip(pairs, of_pairs, strict=True):
                outputs[code] = f"{each} / ({total})"
    elif pairs[0][0] < 0:
        best, *needed = greatest(layers, margins, 0.0, [*margins, *kept])
        for machine, (_, code) in enumerate(pairs):
            outputs[code] = f"CASE WHEN {best} = {machine} THEN {one} ELSE {zero} END"
    else:
        votes: list[list[str]] = [[] for _ in range(classes)]
        for (first, second), margin in zip(pairs, margins, strict=True):
            votes[second].append(f"CASE WHEN {margin} > {plane} THEN {one} ELSE {zero} END")
            votes[first].append(f"CASE WHEN {margin} > {plane} THEN {zero} ELSE {one} END")
        count = number(float(len(margins)))
        outputs = [f"({layers.dialect.sum_of(each)}) / {count}" if each else zero for each in votes]
    columns = layers.add(outputs, [*margins, *needed, *kept])
    best, *needed = greatest(layers, columns, 0.0, [*columns, *kept])
    (label,) = layers.add([best], [*columns, *needed, *kept])
    return Outputs(columns, label)


def centers_outputs(layers: Layers, plain: dict[str, Any], kept: Sequence[str]) -> Outputs:
    """Add the columns of clusters with centers: 1 for the nearest one, and 0 for the others."""
    number = layers.dialect.number
    scaled = []
    for column, center, width, stretch in plain["scales"]:
        value = layers.values[column]
        away = (
            f"({value} - {number(float(center))}) / {number(float(width))}"
            if float(width) > 0
            else f"{value} * {number(0.0)}"
        )
        scaled.append(f"({away}) * {number(float(stretch))}")
    places = layers.add(scaled, kept)
    costs = []
    for numbers, codes in zip(plain["numbers"], plain["codes"], strict=True):
        terms = [
            f"COALESCE(({place} - {number(float(middle))}) * ({place} - {number(float(middle))}), {number(0.0)})"
            for place, middle in zip(places, numbers, strict=True)
        ]
        for (column, cost), code in zip(plain["nominal"], codes, strict=True):
            value = layers.values[column]
            equal = layers.is_in(column, [code])
            terms.append(f"CASE WHEN {value} IS NULL OR {equal} THEN {number(0.0)} ELSE {number(float(cost))} END")
        costs.append(layers.dialect.sum_of(terms))
    names = layers.add(costs, [*places, *kept])
    (least,) = layers.add([names[0] if len(names) == 1 else layers.dialect.least(names)], [*names, *kept])
    whens = " ".join(f"WHEN {name} = {least} THEN {k}" for k, name in enumerate(names))
    (label,) = layers.add([f"CASE {whens} END"], [*names, least, *kept])
    return Outputs([], label)


def _tree(layers: Layers, plain: dict[str, Any], kept: Sequence[str]) -> Outputs:
    return tree_outputs(layers, plain, kept, equation)


KINDS: dict[str, Callable[[Layers, dict[str, Any], Sequence[str]], Outputs]] = {
    "tree": _tree,
    "rules": rules_outputs,
    "linear": linear_outputs,
    "intervals": intervals_outputs,
    "ensemble": ensemble_outputs,
    "forest": forest_outputs,
    "margin": margin_outputs,
    "centers": centers_outputs,
    "mixture": mixture_outputs,
}
