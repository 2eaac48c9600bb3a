"""Trees, rules, equations and ensembles as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.model.rules.rule import DECIDE
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS, FRACTIONAL

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.export.compiled_writer.tables import Entry, Tables

    Plain = dict[str, Any]
    Write = Callable[[Plain], Entry]

SIGNS = ("<=", "<", ">", ">=", "in")


# ---- equations ------------------------------------------------------------------------------------------------------


class Algebra:
    """Equations that share their tables."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.equations: list[tuple[int, int, float]] = []
        self.parts: list[tuple[Any, ...]] = []
        self.factors: list[tuple[Any, ...]] = []
        self.entries: list[Any] = []  # one block per factor or part that is looked up by category

    def add(self, plain: Plain | None) -> int:
        """Add an equation; return its index, -1 for none."""
        if plain is None:
            return -1
        start = len(self.parts)
        for weight, rest in plain["parts"]:
            if isinstance(weight, list):
                self.parts.append((-1, -1, rest, self._looked_up(weight), len(weight) - 1, 1.0))
                continue
            first = len(self.factors)
            for factor in rest:
                self.add_factor(factor)
            self.parts.append((first, len(self.factors), 0, 0, 0, float(weight)))
        self.equations.append((start, len(self.parts), float(plain["intercept"])))
        return len(self.equations) - 1

    def add_factor(self, factor: Sequence[Any]) -> None:
        """Add a factor: a power of a number, or one entry per category."""
        if isinstance(factor[1], list):
            table = self._looked_up(factor[1])
            self.factors.append((factor[0], 1, table, len(factor[1]) - 1, 0.0))
        else:
            self.factors.append((factor[0], factor[2], -1, 0, float(factor[1])))

    def _looked_up(self, entries: list[Any]) -> int:
        self.entries += entries
        return len(self.entries) - len(entries)

    def write(self) -> str:
        """Define the tables; return the address of the algebra."""
        tables = self.tables
        factors = self.factors * 2 if len(self.factors) == 1 else self.factors  # gcc warns about loops over one entry
        fields = (
            tables.records("equation", self.equations, "equations"),
            tables.records("part", self.parts, "parts"),
            tables.records("factor", factors, "factors"),
            tables.reals(self.entries, "tables"),
        )
        return tables.record("algebra", fields, "algebra")


def linear(tables: Tables, plain: Plain, _write: Write) -> Entry:
    """Write a linear model."""
    algebra = Algebra(tables)
    algebra.add(plain)
    return "linear", algebra.write(), 1


# ---- trees ----------------------------------------------------------------------------------------------------------


def tree(tables: Tables, plain: Plain, _write: Write) -> Entry:
    """Write a tree."""
    n_outputs = len(plain["pseudo"])
    algebra = Algebra(tables)
    equations = [algebra.add(each) for each in plain.get("equations", ())]
    rows, values = tree_values(plain)
    tables.need("trees", PENDING=_pending(plain), OUTPUTS=n_outputs)
    start, listed = _surrogates(plain)
    fields = (
        *_splits(tables, plain["splits"]),
        tables.integers(plain["first"], "first"),
        tables.integers(plain["children"], "children"),
        tables.integers(plain["split"], "split"),
        tables.integers(plain["missing"], "missing"),
        tables.reals(plain.get("share", ()), "share"),
        tables.integers(start, "surrogate_start"),
        tables.integers(listed, "surrogates"),
        tables.integers(rows, "row"),
        tables.reals([each for row in values for each in row], "value"),
        tables.integers(plain.get("label", ()), "label"),
        tables.integers([max(each, 0) for each in equations], "equation"),
        algebra.write(),
    )
    return "tree", tables.record("tree_data", fields, "tree"), n_outputs


def tree_values(plain: Plain) -> tuple[list[int], list[tuple[float, ...]]]:
    """Return the row of values of every node, and the rows: probabilities, or the number that a node predicts."""
    source = plain.get("source") or range(len(plain["first"]))
    n_outputs = len(plain["pseudo"])
    numbered: dict[tuple[float, ...], int] = {}
    rows = []
    for node in source:
        value = plain["value"][node]
        if not isinstance(value, list):  # no row ends here
            rows.append(0)
            continue
        known = [float(each) for each in value]
        if "weight" in plain:
            total = plain["weight"][node] + plain["pseudoTotal"]
            pseudo = [float(each) for each in plain["pseudo"]]
            known = [(v + p) / total if total > 0 else 1 / n_outputs for v, p in zip(known, pseudo, strict=True)]
        rows.append(numbered.setdefault(tuple(known), len(numbered)))
    return rows, list(numbered)


def _splits(tables: Tables, splits: list[list[Any]]) -> tuple[str, ...]:
    cuts: list[Any] = []
    codes: list[int] = []
    branches: list[int] = []
    columns: list[int] = []
    terms: list[Any] = []
    records = []
    for kind, *rest in splits:
        record = [kind, 0, 0, 0, 0, 0, 0, 0]
        if kind == CUTS:
            record[1], record[4], own = rest
            record[2:4] = len(cuts), len(cuts) + len(own)
            cuts += own
        elif kind == CODES:
            record[1], to = rest
            record[2:4] = len(branches), len(branches) + len(to)
            branches += to
            codes += [0] * len(to)  # codes and branches are parallel lists
        elif kind == CODE_SETS:
            record[1], record[5], listed, to = rest
            record[2:4] = len(branches), len(branches) + len(to)
            codes += listed
            branches += to
        else:
            record[4], own, summed, coefficients = rest
            record[2:4] = len(cuts), len(cuts) + len(own)
            record[6:8] = len(columns), len(columns) + len(summed)
            cuts += own
            columns += summed
            terms += coefficients
        records.append(record)
    return (
        tables.records("split", records, "splits"),
        tables.reals(cuts, "cuts"),
        tables.integers(codes, "codes") if any(kind == CODE_SETS for kind, *_ in splits) else tables.empty,
        tables.integers(branches, "to"),
        tables.integers(columns, "term_columns"),
        tables.reals(terms, "terms"),
    )


def _surrogates(plain: Plain) -> tuple[list[int], list[int]]:
    start, listed = [0], []
    for own in plain.get("surrogates", ()):
        listed += own
        start.append(len(listed))
    return (start, listed) if listed else ([], [])


def _pending(plain: Plain) -> int:
    """Return the maximum number of pending parts of a divided row: the other branches on the path to a leaf."""
    waiting, most = [1] * len(plain["first"]), 1
    for node, first in enumerate(plain["first"]):  # children follow their parent
        if first < 0:
            continue
        n_children = plain["children"][node]
        more = n_children - 1 if plain["missing"][node] == FRACTIONAL else 0
        for child in range(first, first + n_children):
            waiting[child] = waiting[node] + more
            most = max(most, waiting[child])
    return most


# ---- rules ----------------------------------------------------------------------------------------------------------


class Rules:
    """Rule lists that share their tables: a list, and those of its exceptions."""

    def __init__(self, tables: Tables) -> None:
        self.algebra = Algebra(tables)
        self.lists: list[Any] = []
        self.rules: list[Any] = []
        self.conditions: list[Any] = []
        self.codes: list[int] = []
        self.rows: dict[tuple[str, ...], int] = {}

    def add(self, plain: Plain) -> int:
        """Add a list with its rules and exceptions; return its index."""
        number = len(self.lists)
        self.lists.append(None)
        every = [*plain["rules"], *([plain["default"]] if plain["default"] is not None else [])]
        first = len(self.rules)
        self.rules += [None] * len(every)
        for place, rule in enumerate(every):
            self.rules[first + place] = self._rule(rule)
        stop = first + len(plain["rules"])
        fallback = stop if plain["default"] is not None else -1
        nothing = self._row(plain["nothing"])
        self.lists[number] = (first, stop, fallback, DECIDE.index(plain["decide"]), nothing)
        return number

    def _rule(self, rule: Plain) -> tuple[int, ...]:
        start = len(self.conditions)
        for sign, column, bound, if_missing, *as_missing in rule["conditions"]:
            by_code = isinstance(bound, list)
            first = len(self.codes)
            if by_code:
                self.codes += [*bound, *as_missing[0]]
            stop = first + len(bound) if by_code else first
            number = 0.0 if by_code else float(bound)
            kind = SIGNS.index("in" if by_code else sign)
            self.conditions.append((kind, column, first, stop, len(self.codes), number, float(if_missing)))
        exceptions = self.add(rule["exceptions"]) if "exceptions" in rule else -1
        equation = self.algebra.add(rule.get("equation"))
        outputs = self._row(rule["outputs"])
        end = start + len(rule["conditions"])
        return start, end, rule["label"], equation, exceptions, outputs

    def _row(self, values: list[Any]) -> int:
        return self.rows.setdefault(tuple(map(str, values)), len(self.rows))


def rules(tables: Tables, plain: Plain, _write: Write) -> Entry:
    """Write a list of rules."""
    written = Rules(tables)
    written.add(plain)
    n_outputs = len(plain["nothing"])
    tables.need("rules", OUTPUTS=n_outputs)
    fields = (
        tables.records("list", written.lists, "lists"),
        tables.records("rule", written.rules, "rules"),
        tables.records("condition", written.conditions, "conditions"),
        tables.integers(written.codes, "codes"),
        tables.reals([each for row in written.rows for each in row], "value"),
        written.algebra.write(),
    )
    return "rules", tables.record("rules_data", fields, "rules"), n_outputs


# ---- several models together ----------------------------------------------------------------------------------------


def model_record(tables: Tables, entry: Entry) -> str:
    """Define a model that another one uses; return its address."""
    return tables.record("model", tables.model(entry), "model")


def ensemble(tables: Tables, plain: Plain, write: Write) -> Entry:
    """Write an ensemble."""
    members = [write(member) for member in plain["members"]]
    n_outputs = len(plain["default"])
    tables.need("ensembles", OUTPUTS=n_outputs)
    fields = (
        tables.records("model", map(tables.model, members), "members"),
        *tables.length(len(members)),
        plain["decide"] == "vote",
        plain["classes"],
        tables.reals(plain["default"], "fallback"),
    )
    return "ensemble", tables.record("ensemble_data", fields, "ensemble"), n_outputs


def intervals(tables: Tables, plain: Plain, write: Write) -> Entry:
    """Write a classifier of intervals."""
    classifier = write(plain["classifier"])
    tables.need("ensembles", OUTPUTS=classifier[2])
    fields = (
        model_record(tables, classifier),
        tables.reals(plain["values"], "values"),
        float(plain["default"]),
    )
    return "intervals", tables.record("intervals_data", fields, "intervals"), 1
