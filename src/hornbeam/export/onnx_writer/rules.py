"""Rules and equations as ONNX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base.tolerance import LEAST_SHARE, TIE
from hornbeam.export.onnx_writer.graph import Outputs

if TYPE_CHECKING:
    from hornbeam.export.onnx_writer.graph import Graph

    Plain = dict[str, Any]

FIRES = 0.5  # deciding by first match, a rule fires for a row that passes with at least this weight
COMPARE = {"<=": "LessOrEqual", "<": "Less", ">": "Greater", ">=": "GreaterOrEqual"}


class Equations:
    """Several equations: a matrix of terms that they share, and the coefficients of each."""

    def __init__(self, graph: Graph, equations: list[Plain]) -> None:
        self.graph = graph
        self.intercepts = np.array([float(each["intercept"]) for each in equations])
        terms: dict[str, int] = {}
        self.columns: list[str] = []
        entries = []
        for number, equation in enumerate(equations):
            for weight, rest in equation["parts"]:
                key = repr((weight if isinstance(weight, list) else None, rest))
                if key not in terms:
                    terms[key] = len(self.columns)
                    self.columns.append(self._term(weight, rest))
                entries.append((terms[key], number, 1.0 if isinstance(weight, list) else float(weight)))
        self.coefficients = np.zeros((len(self.columns), len(equations)))
        for term, number, weight in entries:
            self.coefficients[term, number] += weight

    def _term(self, weight: Any, rest: Any) -> str:  # noqa: ANN401 - plain data
        graph = self.graph
        if isinstance(weight, list):
            return graph.looked_up([rest], [[float(each) for each in weight]])
        product = ""
        for factor in rest:
            value = factor_value(graph, factor)
            product = graph.op("Mul", product, value) if product else value
        return product

    def all(self) -> str:
        """Return the values of all equations, rows x equations."""
        graph = self.graph
        if not self.columns:
            return graph.constant_rows(self.intercepts)
        terms = self.columns[0] if len(self.columns) == 1 else graph.op("Concat", *self.columns, axis=1)
        if len(self.intercepts) == 1:
            return self._in_order(graph.op("Mul", terms, graph.constant(self.coefficients.T)))
        product = graph.op("MatMul", terms, graph.constant(self.coefficients))
        return graph.op("Add", product, graph.constant([self.intercepts]))

    def _in_order(self, products: str) -> str:
        """Return the sum of the intercept and all products from left to right, rounded as the model rounds it."""
        graph = self.graph
        listed = graph.op("Concat", graph.constant_rows(self.intercepts), products, axis=1)
        sums = graph.op("CumSum", listed, graph.integers(1))
        return graph.op("Gather", sums, graph.integers([len(self.columns)]), axis=1)

    def of(self, number: str) -> str:
        """Return the value of one equation per row, by its number (a column of integers)."""
        return self.graph.op("GatherElements", self.all(), number, axis=1)


def factor_value(graph: Graph, factor: list[Any]) -> str:
    """Return the value of a factor: a power of a number, or an entry by category."""
    if isinstance(factor[1], list):
        return graph.looked_up([factor[0]], [[float(each) for each in factor[1]]])
    value = graph.column(factor[0])
    known = graph.op("Where", graph.op("IsNaN", value), graph.real(float(factor[1])), value)
    result = known
    for _ in range(1, factor[2]):
        result = graph.op("Mul", result, known)
    return result


def linear(graph: Graph, plain: Plain, _write: Any) -> Outputs:  # noqa: ANN401 - a function
    """Write a linear model."""
    return Outputs(Equations(graph, [plain]).all(), 1)


def rules(graph: Graph, plain: Plain, _write: Any) -> Outputs:  # noqa: ANN401 - a function
    """Write a list of rules."""
    values, label, _ = RuleList(graph, plain).decided()
    return Outputs(values, len(plain["nothing"]), label)


class RuleList:
    """A list of rules under construction."""

    def __init__(self, graph: Graph, plain: Plain) -> None:
        self.graph, self.plain = graph, plain
        self.n = len(plain["nothing"])

    def decided(self) -> tuple[str, str, str]:
        """Return the outputs, the label, and the index of the rule that decided (-1: none), per row."""
        return self._first() if self.plain["decide"] == "first" else self._weighted()

    def _first(self) -> tuple[str, str, str]:
        graph, rules = self.graph, self.plain["rules"]
        default = self.plain["default"] or {"outputs": self.plain["nothing"], "label": -1, "conditions": []}
        every = [*rules, default]
        if rules:
            fires = graph.is_true(graph.op("GreaterOrEqual", self._weights(), graph.real(FIRES)))
            chosen = graph.op("ArgMax", graph.op("Concat", fires, graph.ones, axis=1), axis=1, keepdims=1)
        else:
            chosen = graph.zeros()
        table = graph.constant([[float(each) for each in rule["outputs"]] for rule in every])
        values = graph.entries(table, graph.flat(chosen))
        label = graph.entries(graph.integers([rule["label"] for rule in every]), chosen)
        for place, rule in enumerate(every):
            if "equation" in rule or "exceptions" in rule:
                own, own_label = self._says(rule)
                here = graph.op("Equal", chosen, graph.integers(place))
                values = graph.op("Where", here, own, values)
                label = graph.op("Where", here, own_label, label)
        none = graph.op("Equal", chosen, graph.integers(len(rules)))
        return values, label, graph.op("Where", none, graph.integers(-1), chosen)

    def _says(self, rule: Plain) -> tuple[str, str]:
        """Return what a rule predicts for every row, whether it fires or not."""
        graph = self.graph
        values = graph.constant_rows([float(each) for each in rule["outputs"]])
        label = graph.op("Add", graph.zeros(), graph.integers(rule["label"]))
        if "equation" in rule:
            values = graph.finite_or(Equations(graph, [rule["equation"]]).all(), values)
        if "exceptions" in rule:
            inner, inner_label, fired = RuleList(graph, rule["exceptions"]).decided()
            by_exception = graph.op("GreaterOrEqual", fired, graph.integers(0))
            values = graph.op("Where", by_exception, inner, values)
            label = graph.op("Where", by_exception, inner_label, label)
        return values, label

    def _weighted(self) -> tuple[str, str, str]:
        graph, rules, default = self.graph, self.plain["rules"], self.plain["default"]
        remaining = self.plain["decide"] == "remaining"
        weights = [graph.take(self._weights(), [place]) for place in range(len(rules))] if rules else []
        left = graph.ones
        if remaining:
            for place, weight in enumerate(weights):
                weights[place] = graph.op("Mul", weight, left)
                left = graph.op("Sub", left, weights[place])
        every = list(rules)
        if remaining and default:
            enough = graph.is_true(graph.op("Greater", left, graph.real(LEAST_SHARE)))
            weights.append(graph.op("Mul", enough, left))
            every.append(default)
        values, label = self._says(default) if default else self._says({"outputs": self.plain["nothing"], "label": -1})
        none = graph.op("Add", graph.zeros(), graph.integers(-1))
        if not every:
            return values, label, none
        matrix = graph.op("Concat", *weights, axis=1)
        zero = graph.real(0.0)
        reached = graph.op("Greater", matrix, zero)
        matrix = graph.op("Where", reached, matrix, zero)
        used = graph.total(graph.is_true(reached))
        summed, last = self._sums(every, matrix, reached)
        mean = graph.op("Div", summed, graph.total(matrix))
        own = graph.op("Where", graph.op("Greater", used, graph.real(1.0)), graph.greatest(mean, self.n, TIE), last)
        some = graph.op("Greater", used, zero)
        most = graph.op("ArgMax", matrix, axis=1, keepdims=1)
        is_rule = graph.op("And", some, graph.op("Less", most, graph.integers(len(rules))))
        return (
            graph.op("Where", some, mean, values),
            graph.op("Where", some, own, label),
            graph.op("Where", is_rule, most, none),
        )

    def _sums(self, every: list[Plain], matrix: str, reached: str) -> tuple[str, str]:
        """Return the weighted sums of what the rules predict, and the label of the last rule that the row reaches."""
        graph = self.graph
        plain = all("equation" not in rule and "exceptions" not in rule for rule in every)
        if plain:
            table = graph.constant([[float(each) for each in rule["outputs"]] for rule in every])
            summed = graph.op("MatMul", matrix, table)
            numbered = graph.op(
                "Mul", graph.is_true(reached), graph.constant([[float(i + 1) for i in range(len(every))]])
            )
            last = graph.op("ArgMax", numbered, axis=1, keepdims=1)
            return summed, graph.entries(graph.integers([rule["label"] for rule in every]), last)
        summed, label = "", graph.integers([[-1]])
        for place, rule in enumerate(every):
            values, own = self._says(rule)
            here = graph.take(reached, [place])
            weight = graph.take(matrix, [place])
            part = graph.op("Where", here, graph.op("Mul", weight, values), graph.real(0.0))
            summed = graph.op("Add", summed, part) if summed else part
            label = graph.op("Where", here, own, label)
        return summed, label

    def _weights(self) -> str:
        """Return the weight with which every row satisfies each rule, rows x rules."""
        graph, rules = self.graph, self.plain["rules"]
        conditions = [condition for rule in rules for condition in rule["conditions"]]
        if not conditions:
            return graph.constant_rows([1.0] * len(rules))
        held = graph.op("Concat", self._holds(conditions), graph.ones, axis=1)
        places, start = [], 0
        for rule in rules:
            places.append(list(range(start, start + len(rule["conditions"]))))
            start += len(rule["conditions"])
        weights = ""
        for rank in range(max(map(len, places))):
            part = graph.take(held, [own[rank] if rank < len(own) else len(conditions) for own in places])
            weights = graph.op("Mul", weights, part) if weights else part
        return weights

    def _holds(self, conditions: list[list[Any]]) -> str:
        """Return the weight with which every row satisfies each condition."""
        graph, parts, order = self.graph, [], []
        for sign, operator in COMPARE.items():
            own = [(i, c) for i, c in enumerate(conditions) if c[0] == sign]
            if own:
                asked = graph.take(graph.rows, [c[1] for _, c in own])
                held = graph.is_true(graph.op(operator, asked, graph.constant([[float(c[2]) for _, c in own]])))
                missing = graph.constant([[float(c[3]) for _, c in own]])
                parts.append(graph.op("Where", graph.op("IsNaN", asked), missing, held))
                order += [i for i, _ in own]
        own = [(i, c) for i, c in enumerate(conditions) if c[0] not in COMPARE]
        numeric = [(i, c) for i, c in own if graph.columns[c[1]]["kind"] == "numeric"]
        for i, c in numeric:  # whether a number is missing
            missing = graph.op("IsNaN", graph.column(c[1]))
            parts.append(graph.op("Where", missing, graph.real(float(c[3])), graph.real(0.0)))
            order.append(i)
        coded = [(i, c) for i, c in own if graph.columns[c[1]]["kind"] != "numeric"]
        if coded:
            parts.append(graph.looked_up([c[1] for _, c in coded], [self._table(c) for _, c in coded]))
            order += [i for i, _ in coded]
        joined = parts[0] if len(parts) == 1 else graph.op("Concat", *parts, axis=1)
        return graph.take(joined, np.argsort(order))

    def _table(self, condition: list[Any]) -> list[float]:
        """Return the weight of every code, and that of a missing value."""
        _, column, codes, if_missing, as_missing = condition
        n = len(self.graph.columns[column]["categories"])
        table = [float(code in codes) for code in range(n)] + [float(if_missing)]
        for code in as_missing:
            if code < n:
                table[code] = float(if_missing)
        return table
