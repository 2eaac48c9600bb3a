"""Counts of the rows of a database table by node, value and class: by `GROUP BY`; only counts leave the database.

Temporary tables store which rows are at which node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.errors import DataError
from hornbeam.data.schema import Nominal
from hornbeam.model.trees.split import FRACTIONAL, LEAST_SHARE
from hornbeam.scale.database.branching import LOST, branch_expression, forks_of
from hornbeam.scale.database.columns import INFINITE, number_literal
from hornbeam.scale.trees.along import Along
from hornbeam.scale.trees.bins import Summary, codings_from
from hornbeam.scale.trees.coded import Tally

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats
    from hornbeam.model.trees.tree import Tree
    from hornbeam.scale.database.columns import Described
    from hornbeam.scale.database.engines import Database, Row
    from hornbeam.scale.source import Source
    from hornbeam.scale.trees.bins import Coding
    from hornbeam.scale.trees.coded import Fork, Way
    from hornbeam.scale.trees.counter import Sizes


class DatabaseCounter:
    """Counts rows by SQL.

    Parameters
    ----------
    source : Source
        A table of a database.
    database : Database
        The database.
    columns : list of Described
        Its columns.
    drop_empty : bool
        Whether rows without a value in any feature are left out.
    """

    def __init__(self, source: Source, database: Database, columns: list[Described], *, drop_empty: bool) -> None:
        self.schema, self.database = source.schema, database
        self.features = [columns[position] for position in self.schema.features]
        assert self.schema.target is not None
        self.target = columns[self.schema.target]
        selected = ", ".join(f"{one.expression} AS f{i}" for i, one in enumerate(self.features))
        selected = f", {selected}" if selected else ""
        table = source.parts.quoted  # type: ignore[attr-defined]
        rows = f"SELECT {database.row_id} AS rid, {self.target.expression} AS y{selected} FROM {table}"  # noqa: S608
        self.omitted, wanted = 0, "y IS NOT NULL"
        if drop_empty and self.features:
            known = " OR ".join(f"f{i} IS NOT NULL" for i in range(len(self.features)))
            ((self.omitted,),) = self._run(f"SELECT count(*) FROM ({rows}) r WHERE {wanted} AND NOT ({known})")  # noqa: S608
            wanted = f"{wanted} AND ({known})"
        self._run("DROP VIEW IF EXISTS hb_rows")
        self._run(f"CREATE TEMP VIEW hb_rows AS SELECT * FROM ({rows}) r WHERE {wanted}")  # noqa: S608
        self.codes: tuple[Coding, ...] = ()
        self.done: set[int] | None = None  # the nodes whose rows have been split; None: no row has been placed yet

    def _run(self, query: str) -> list[Row]:
        return self.database.run(query)

    def _keep(self, name: str, query: str) -> None:
        """Make a temporary table, which may replace one that the query reads."""
        self._run(f"CREATE TEMP TABLE hb_new AS {query}")
        self._run(f"DROP TABLE IF EXISTS {name}")
        self._run(f"ALTER TABLE hb_new RENAME TO {name}")

    # ---- values ----

    def summary(self, most: int) -> Summary:
        """Class counts, and the distinct values of columns that have at most this many."""
        classes = np.zeros(len(self.target.literals), np.int64)
        for value, count in self._run("SELECT y, count(*) FROM hb_rows GROUP BY y"):
            classes[self.target.place[value]] = count
        if not classes.any():
            raise ValueError("no rows to learn from: every row lacks the target")
        distinct: dict[int, Floats | None] = {}
        known: dict[int, int] = {}
        for i, position in enumerate(self.schema.features):
            ((known[position], different),) = self._run(f"SELECT count(f{i}), count(DISTINCT f{i}) FROM hb_rows")  # noqa: S608
            if isinstance(self.schema.columns[position], Nominal):
                continue
            if self._run(f"SELECT 1 FROM hb_rows WHERE f{i} IN {INFINITE} LIMIT 1"):  # noqa: S608
                raise DataError("infinite values; expected numbers", column=self.schema.columns[position].name)
            distinct[position] = None
            if different <= most:
                values = self._run(f"SELECT DISTINCT f{i} FROM hb_rows WHERE f{i} IS NOT NULL ORDER BY 1")  # noqa: S608
                distinct[position] = np.array([value for (value,) in values], float)
        return Summary(classes, distinct, known, self.omitted)

    def codings(self, summary: Summary, most: int) -> tuple[Coding, ...]:
        """The codes of all features."""
        extents = {}
        for i, position in enumerate(self.schema.features):
            if position in summary.distinct and summary.distinct[position] is None:
                extents[position] = self._intervals(i, summary.known[position], most)
        self.codes = tuple(codings_from(self.schema, summary, extents))
        return self.codes

    def _intervals(self, feature: int, known: int, most: int) -> tuple[Floats, Floats]:
        """The smallest and the largest value of every interval between quantiles."""
        f, edges = f"f{feature}", f"hb_edges{feature}"
        # the values up to which there are n / most, 2 n / most, ... rows
        self._keep(
            edges,
            f"SELECT row_number() OVER (ORDER BY {f}) - 1 AS code, {f} AS edge FROM (SELECT {f}, rows, "  # noqa: S608
            f"sum(rows) OVER (ORDER BY {f}) AS reached FROM (SELECT {f}, count(*) AS rows FROM hb_rows "
            f"WHERE {f} IS NOT NULL GROUP BY {f}) c) d WHERE reached * {most} - (reached * {most}) % {known} > "
            f"(reached - rows) * {most} - ((reached - rows) * {most}) % {known}",
        )
        code, join = self.database.interval(f"r.{f}", edges)
        found = self._run(
            f"SELECT min({f}), max({f}) FROM (SELECT r.{f}, {code} AS code FROM hb_rows r{join} "  # noqa: S608
            f"WHERE r.{f} IS NOT NULL) c GROUP BY code ORDER BY code"
        )
        return np.array([low for low, _ in found], float), np.array([high for _, high in found], float)

    # ---- nodes ----

    def nodes(self, way: Way, nodes: list[int], sizes: Sizes) -> dict[int, Tally]:
        """Counts of some nodes by feature, code and class."""
        self._place(way)
        chosen = ", ".join(map(str, nodes))
        joined = f"FROM hb_placed p JOIN hb_rows r USING (rid) WHERE p.node IN ({chosen})"
        starts = np.concatenate([[0], np.cumsum([count * sizes.n_classes for count in sizes.codes])])
        rows: dict[int, int] = dict(self._run(f"SELECT p.node, count(*) {joined} GROUP BY p.node"))
        units = {node: np.zeros(int(starts[-1]), np.int64) for node in nodes}
        for i, coding in enumerate(self.codes):
            value, source = f"r.f{i}", joined
            if not coding.exact:  # the index of the interval, computed in the database
                value, more = self.database.interval(value, f"hb_edges{i}")
                source = joined.replace(" WHERE ", f"{more} WHERE ")
            code_of = self._code_of(i)
            for node, found, label, count in self._run(
                f"SELECT p.node, {value}, r.y, sum(p.units) {source} GROUP BY 1, 2, 3"
            ):
                cell = code_of(found) * sizes.n_classes + self.target.place[label]
                units[node][starts[i] + cell] += int(count)
        return {node: Tally(rows.get(node, 0), units[node]) for node in nodes}

    def _code_of(self, feature: int) -> Any:
        coding, place = self.codes[feature], self.features[feature].place
        if not place:
            place = {value: code for code, value in enumerate(coding.upper.tolist())}
        if not coding.exact:
            return lambda code: coding.n_codes if code is None else code
        return lambda value: coding.n_codes if value is None else place[value]

    def arrivals(self, way: Way) -> dict[int, int]:
        """How many rows and pieces of rows end at each node."""
        self._place(way)
        return dict(self._run("SELECT node, count(*) FROM hb_placed GROUP BY node"))

    def _place(self, way: Way) -> None:
        """Update the table of row positions by the new splits."""
        if self.done is None:
            self._keep("hb_placed", self._all_at_root(way.units))
            self.done = set()
        fresh = {node: fork for node, fork in way.forks.items() if node not in self.done}
        if fresh:
            self._send("hb_placed", fresh)
            left = f"SELECT * FROM hb_placed WHERE node NOT IN ({', '.join(map(str, fresh))})"  # noqa: S608
            self._keep("hb_placed", f"{left} UNION ALL {self._moved()}")
            self.done |= fresh.keys()

    def _moved(self) -> str:
        """The rows that took a branch, and the pieces of divided rows."""
        pieces = self.database.half_even.format("CAST(s.units AS FLOAT8) * c.share")
        return (
            "SELECT s.rid, c.first + c.branch AS node, s.units FROM hb_sent s JOIN hb_children c "  # noqa: S608
            "USING (node, branch) UNION ALL "
            f"SELECT s.rid, c.first + c.branch, CAST({pieces} AS BIGINT) FROM hb_sent s "
            f"JOIN hb_children c ON s.node = c.node WHERE s.branch = {LOST} AND c.share > 0"
        )

    @staticmethod
    def _all_at_root(units: int) -> str:
        return f"SELECT rid, 0 AS node, CAST({units} AS BIGINT) AS units FROM hb_rows"  # noqa: S608

    def _send(self, placed: str, forks: dict[int, Fork]) -> None:
        """Find the branch of every row at these nodes, as a table of branches and one of children with fractions."""
        cases = " ".join(
            f"WHEN {node} THEN {branch_expression(fork, self.codes[fork.feature], self.features[fork.feature])}"
            for node, fork in forks.items()
        )
        self._keep(
            "hb_sent",
            f"SELECT p.rid, p.node, p.units, CASE p.node {cases} END AS branch "  # noqa: S608
            f"FROM {placed} p JOIN hb_rows r USING (rid) WHERE p.node IN ({', '.join(map(str, forks))})",
        )
        children = [
            (node, fork.first_child, b, share if fork.missing == FRACTIONAL and share > LEAST_SHARE else 0.0)
            for node, fork in forks.items()
            for b, share in enumerate(fork.shares.tolist())
        ]
        listed = ", ".join(
            f"({node}, {first}, {b}, CAST({number_literal(share)} AS FLOAT8))" for node, first, b, share in children
        )
        self._keep("hb_children", f"SELECT * FROM (VALUES {listed}) c(node, first, branch, share)")  # noqa: S608

    def along(self, tree: Tree, units: int) -> Along:
        """Counts at every node of a tree, level by level."""
        forks = forks_of(tree, self.codes)
        n_classes = len(self.target.literals)
        found = Along(*(np.zeros(shape, np.int64) for shape in ((tree.n_nodes, n_classes), tree.n_nodes, tree.n_nodes)))
        self._keep("hb_along", self._all_at_root(units))
        level = [0]
        while level:
            self._count(found)
            inner = {node: forks[node] for node in level if node in forks}
            if not inner:
                break
            self._send("hb_along", inner)
            for child, total in self._run(
                "SELECT c.first + s.branch, sum(s.units) FROM hb_sent s JOIN hb_children c USING (node, branch) "  # noqa: S608
                f"JOIN hb_rows r USING (rid) WHERE {self._is_known(inner)} GROUP BY 1"
            ):
                found.known[child] = int(total)
            self._keep("hb_along", self._moved())
            level = [fork.first_child + b for fork in inner.values() for b in range(len(fork.shares))]
        return found

    def close(self) -> None:
        """Drop the temporary tables with an entry for every row."""
        for name in ("hb_placed", "hb_sent", "hb_along"):
            self._run(f"DROP TABLE IF EXISTS {name}")

    @staticmethod
    def _is_known(forks: dict[int, Fork]) -> str:
        """Whether the value that decided the branch of a row is known."""
        cases = " ".join(f"WHEN {node} THEN r.f{fork.feature} IS NOT NULL" for node, fork in forks.items())
        return f"CASE s.node {cases} END"

    def _count(self, found: Along) -> None:
        for node, label, total, rows in self._run(
            "SELECT a.node, r.y, sum(a.units), count(*) FROM hb_along a JOIN hb_rows r USING (rid) GROUP BY 1, 2"
        ):
            found.units[node, self.target.place[label]] = int(total)
            found.rows[node] += rows

    def largest(self, cuts: dict[int, Floats], slack: float) -> dict[int, Floats]:
        """For each cut of a column, the largest value that is not above it."""
        feature = {position: i for i, position in enumerate(self.schema.features)}
        found = {}
        sign = "<=" if slack == 0.0 else "<"
        for position, middle in cuts.items():
            f = f"f{feature[position]}"
            limits = middle + slack
            asked = ", ".join(f"max({f}) FILTER (WHERE {f} {sign} {number_literal(limit)})" for limit in limits)
            (values,) = self._run(f"SELECT {asked} FROM hb_rows")  # noqa: S608
            found[position] = np.array([-np.inf if value is None else value for value in values], float)
        return found
