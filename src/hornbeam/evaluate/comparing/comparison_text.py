"""A comparison as text: on one table, values with intervals and tests; over several, a table of values and ranks.

The same cells are written for a terminal or as Markdown.
"""

from __future__ import annotations

import math
from textwrap import wrap
from typing import TYPE_CHECKING

from hornbeam.data.in_words import letter, percent
from hornbeam.evaluate.comparing.comparison import differs
from hornbeam.evaluate.measures import ABOUT, OWN_UNITS, SIZES, TIMES
from hornbeam.show.texts.columns import aligned, markdown, plain
from hornbeam.show.texts.wording import printable, short_number, width

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.evaluate.comparing.comparison import Comparison, Estimate, TableComparison
    from hornbeam.evaluate.comparing.significance import Ranking

NAME_LIMIT = 40
ROOM = 110  # width of a terminal; wider tables have numbered headers, or are divided
LEAST_ROOM = 40
NOTHING = "-"
BETTER, WORSE = "+", "-"
SMALL_P = 0.001
MEASURED = tuple(name for name in ABOUT if name not in (*SIZES, *TIMES))


def write(found: Comparison, *, markdown: bool = False, times: bool = False, room: int = ROOM) -> str:
    """Write a comparison as lines without a trailing newline, at most `room` characters wide if possible."""
    writer = _Writer(found, markdown=markdown, times=times, room=max(room, LEAST_ROOM))
    return "\n".join(writer.one(found.tables[0]) if len(found.tables) == 1 else writer.several())


class _Writer:
    """One comparison being written."""

    def __init__(self, found: Comparison, *, markdown: bool, times: bool, room: int) -> None:
        self.found, self.in_markdown, self.times, self.room = found, markdown, times, room
        self.names = [printable(name, NAME_LIMIT) for name in found.methods]
        self.baseline = printable(found.baseline, NAME_LIMIT)
        self.short = ABOUT[found.measure].short

    # --- one table -----------------------------------------------------------------------------------------------

    def one(self, table: TableComparison) -> list[str]:
        """Values and tests on one table, and all pairs of methods."""
        words = f"{printable(table.table, NAME_LIMIT)}: {table.n_rows} rows, {self.folds(table)}"
        heads = ["method", self.short, "95% interval", self.found.size_name, "95% interval"]
        rows = [[*heads, f"vs. {self.baseline}", "95% interval", "p-value", ""]]
        against = table.against(self.found.baseline)
        marked = False
        for name, outcome in zip(self.names, table.outcomes, strict=True):
            if outcome.score is None or outcome.size is None:
                rows.append([name, *[NOTHING] * 7, ""])
                continue
            row = [name, self.figure(outcome.score.mean), self.interval(outcome.score)]
            row += [_leaves(outcome.size.mean), _ends(outcome.size.interval, _leaves)]
            if outcome.method in against:
                pair, p_value = against[outcome.method]
                marked |= differs(p_value)
                row += [self.difference(pair.score.mean), _ends(pair.score.interval, self.difference)]
                row += [_p(p_value), "*" if differs(p_value) else ""]
            else:
                row += ["", "", "", ""]
            rows.append(row)
        columns = list(map(list, zip(*rows, strict=True)))
        lines = [*self.sentence(words), "", *self.divided(columns[0], [columns[1:3], columns[3:5], columns[5:]]), ""]
        adjusted = f", adjusted for {len(against)} tests (Holm)" if len(against) > 1 else ""
        tested = f"corrected resampled t-test against {self.baseline}{adjusted}"
        star = "* different at 5%" if marked else "no method is different at 5%"
        lines += self.sentence(f"p-value: {tested}; {star}.")
        lines += self.tuned()
        lines += self.problems(table)
        lines += self.others(table)
        if len(self.names) > 2:  # noqa: PLR2004 - two methods are compared above
            lines += self.pairwise(table)
        return lines

    def others(self, table: TableComparison) -> list[str]:
        """The other metrics, the sizes of the models, and times if requested."""
        said = {self.found.measure} | ({self.found.size_name} & set(SIZES))
        shown = [name for name in ABOUT if name not in said and (self.times or name not in TIMES)]
        shown = [name for name in shown if any(outcome.has(name) for outcome in table.outcomes)]
        if not shown:
            return []
        lines = ["", *self.sentence("Other measures, with 95% intervals")]
        for kind in (MEASURED, SIZES, TIMES):
            columns = []
            for name in (name for name in shown if name in kind):
                cells = [
                    _with_interval(name, one.metrics[name]) if one.has(name) else NOTHING for one in table.outcomes
                ]
                columns.append([[ABOUT[name].short, *cells]])
            if columns:
                lines += ["", *self.divided(["method", *self.names], columns)]
        if self.times:
            lines += ["", *self.sentence("Wall-clock times; they vary from run to run.")]
        return lines

    def divided(self, first: list[str], groups: Sequence[list[list[str]]]) -> list[str]:
        """Write columns as one table, or as several below each other, each with the first column.

        Parameters
        ----------
        first : list of str
            The cells of the first column.
        groups : sequence of lists of columns
            Columns that stay together.
        """
        parts: list[list[list[str]]] = []
        for group in groups:
            wider = [*(parts[-1] if parts else [first]), *group]
            if parts and (self.in_markdown or sum(2 + max(map(width, cells)) for cells in wider) - 2 <= self.room):
                parts[-1] = wider
            else:
                parts.append([first, *group])
        tables = [self.table(list(zip(*part, strict=True))) for part in parts]
        return [line for place, lines in enumerate(tables) for line in (["", *lines] if place else lines)]

    def pairwise(self, table: TableComparison) -> list[str]:
        """All pairs of methods: row minus column."""

        def difference(one: str, other: str) -> str:
            pair = table.pair(one, other)
            if pair is None:
                return NOTHING
            return self.difference(pair.score.mean) + ("*" if differs(pair.score.p_value) else "")

        unit = f"points of {self.found.measure}" if ABOUT[self.found.measure].percent else self.short
        head = f"All pairs of methods: row minus column, in {unit}; * p-value below 5%, not adjusted."
        return ["", *self.square(head, difference)]

    def square(self, head: str, cell: Callable[[str, str], str]) -> list[str]:
        """A table with a row and a column for every method."""
        rows = [["", *(str(place + 1) for place in range(len(self.names)))]]
        for place, (name, one) in enumerate(zip(self.names, self.found.methods, strict=True)):
            cells = [NOTHING if one == other else cell(one, other) for other in self.found.methods]
            rows.append([f"{place + 1} {name}", *cells])
        first, *rest = map(list, zip(*rows, strict=True))
        return [*self.sentence(head), "", *self.divided(first, [[column] for column in rest])]

    # --- several tables ------------------------------------------------------------------------------------------

    def several(self) -> list[str]:
        """Values of every method on every table, sizes, and the ranking."""
        found = self.found
        words = f"{len(found.tables)} tables, {self.folds(max(found.tables, key=lambda table: table.folds))}"
        lines = [*self.sentence(words), *self.tuned(), "", *self.scores(), "", *self.sizes()]
        for table in found.tables:
            lines += self.problems(table)
        if found.ranking is not None:
            lines += ["", *self.ranks(found.ranking), "", *self.signed_ranks(found.ranking), "", *self.wins()]
        return lines

    def scores(self) -> list[str]:
        """Scores by table and method, marked where they differ from the baseline's."""
        better = dict.fromkeys(self.found.methods, 0)
        worse = dict.fromkeys(self.found.methods, 0)
        body = []
        for table in self.found.tables:
            against = table.against(self.found.baseline)
            row = [printable(table.table, NAME_LIMIT)]
            for outcome in table.outcomes:
                mark = " "
                if outcome.method in against:
                    pair, p_value = against[outcome.method]
                    if differs(p_value):
                        won = (pair.score.mean > 0) == self.found.higher_is_better
                        mark = BETTER if won else WORSE
                        (better if won else worse)[outcome.method] += 1
                row.append(f"{NOTHING} " if outcome.score is None else self.figure(outcome.score.mean) + mark)
            body.append(row)
        if self.found.measure not in OWN_UNITS:  # errors of different targets have no mean
            body.append(["mean", *(self.figure(mean) + " " for mean in self.means("score"))])
        if any((*better.values(), *worse.values())):
            counts = [f"{better[name]}/{worse[name]} " for name in self.found.methods]
            counts[self.found.methods.index(self.found.baseline)] = " "
            body.append([f"better/worse than {self.baseline}", *counts])
        title = self.found.measure[0].upper() + self.found.measure[1:]
        marks = f"{BETTER} better, {WORSE} worse than {self.baseline} at 5%"
        head = f"{title} ({marks}: corrected resampled t-test, adjusted by Holm's method within each table)"
        return [*self.sentence(head), "", *self.wide("table", body)]

    def sizes(self) -> list[str]:
        """Leaves or rules by table and method."""
        body = [
            [
                printable(table.table, NAME_LIMIT),
                *(NOTHING if one.size is None else _leaves(one.size.mean) for one in table.outcomes),
            ]
            for table in self.found.tables
        ]
        body.append(["mean", *map(_leaves, self.means("size"))])
        return [
            *self.sentence(f"{self.found.size_name.capitalize()}, mean of the folds"),
            "",
            *self.wide("table", body),
        ]

    def means(self, what: str) -> list[float]:
        """Mean value of every method over the tables where all methods were evaluated."""
        whole = [table for table in self.found.tables if all(one.score is not None for one in table.outcomes)]
        if not whole:
            return [math.nan] * len(self.names)
        columns = zip(*([getattr(one, what).mean for one in table.outcomes] for table in whole), strict=True)
        return [math.fsum(column) / len(whole) for column in columns]

    def ranks(self, ranking: Ranking) -> list[str]:
        """The critical-difference table."""
        rows = [["method", "average rank", "not different at 5%"]]
        for name, average in zip(ranking.methods, ranking.average_ranks, strict=True):
            letters = [(letter(place), group) for place, group in enumerate(ranking.groups)]
            groups = [mark if name in group else " " * len(mark) for mark, group in letters]
            rows.append([printable(name, NAME_LIMIT), f"{average:.2f}", " ".join(groups).rstrip()])
        words = f"Ranks over {ranking.n_tables} tables (1 is best)"
        if not math.isnan(ranking.p_value):
            words += f". Friedman's test that all methods are equal: chi-square {ranking.statistic:.2f}"
            words += f", p-value {_p(ranking.p_value)}"
        words += f". Nemenyi's critical difference at 5%: {ranking.critical_difference:.2f}"
        return [*self.sentence(f"{words}; methods with a common letter are closer than that."), "",
                *self.table(rows, left=(0, 2))]  # fmt: skip

    def signed_ranks(self, ranking: Ranking) -> list[str]:
        """All pairs of methods over the tables."""

        def p_value(one: str, other: str) -> str:
            value = ranking.signed_rank(one, other).adjusted_p_value
            return _p(value) + ("*" if differs(value) else "")

        count = len(ranking.signed_ranks)
        adjusted = f", adjusted for {count} tests (Holm)" if count > 1 else ""
        of_what = " of relative differences" if self.found.measure in OWN_UNITS else ""
        test = f"Wilcoxon's signed-rank test{of_what}{adjusted}"
        head = f"All pairs of methods over {ranking.n_tables} tables: p-value of {test}; * different at 5%."
        return self.square(head, p_value)

    def wins(self) -> list[str]:
        """On how many tables the row beats the column, and on how many significantly."""
        sign = 1 if self.found.higher_is_better else -1

        def won(one: str, other: str) -> str:
            pairs = [pair.score for table in self.found.tables if (pair := table.pair(one, other)) is not None]
            better = [pair for pair in pairs if sign * pair.mean > 0]
            return f"{len(better)} ({sum(differs(pair.p_value) for pair in better)})"

        return self.square(
            "Tables on which the row is better than the column (in parentheses: at 5%, not adjusted)", won
        )

    # --- pieces --------------------------------------------------------------------------------------------------

    def folds(self, table: TableComparison) -> str:
        """How the methods were evaluated."""
        times = "" if self.found.repeats == 1 else f"{self.found.repeats} times "
        same = "every method on the same folds"
        if self.found.order is not None:
            order = printable(self.found.order, NAME_LIMIT)
            return f"{table.folds} folds in the order of {order}, each trained on all rows before it, {same}"
        together = f", rows of one {printable(self.found.groups, NAME_LIMIT)} together" if self.found.groups else ""
        return f"{times}{table.folds}-fold cross-validation{together}, {same} (seed {self.found.seed})"

    def tuned(self) -> list[str]:
        """Parameters that were chosen in every fold."""
        if not self.found.tuned:
            return []
        chosen = [f"{printable(method, NAME_LIMIT)} ({', '.join(names)})" for method, names in self.found.tuned]
        words = f"Parameters chosen in every fold, on its training rows only: {'; '.join(chosen)}."
        return ["", *self.sentence(words)]

    def problems(self, table: TableComparison) -> list[str]:
        """Methods that could not be evaluated, and why."""
        return [
            line
            for outcome in table.outcomes
            if outcome.problem is not None
            for line in self.sentence(
                f"{printable(table.table, NAME_LIMIT)}, {printable(outcome.method, NAME_LIMIT)}: not evaluated, "
                f"{printable(outcome.problem)}"
            )
        ]

    def figure(self, value: float) -> str:
        """A score."""
        return figure_text(self.found.measure, value)

    def difference(self, value: float) -> str:
        """A difference of scores, in points where they are reported in percent."""
        if math.isnan(value):
            return NOTHING
        if self.found.measure in OWN_UNITS:
            return f"{value:+.4g}" if value else "0.0"
        words = f"{100 * value:+.1f}" if ABOUT[self.found.measure].percent else f"{value:+.3f}"
        return words.lstrip("+-") if float(words) == 0 else words

    def interval(self, figure: Estimate) -> str:
        """The interval of a score."""
        return _ends(figure.interval, self.figure)

    def sentence(self, text: str) -> list[str]:
        """Add a line between the tables."""
        return [plain(text)] if self.in_markdown else wrap(text, self.room)

    def table(self, rows: Sequence[Sequence[str]], left: tuple[int, ...] = (0,)) -> list[str]:
        """Cells in columns."""
        if self.in_markdown:
            return markdown([[cell.rstrip() for cell in row] for row in rows], left)
        return aligned(rows, left)

    def wide(self, corner: str, body: Sequence[Sequence[str]]) -> list[str]:
        """A table with a column for every method; if names do not fit, they are replaced by numbers."""
        room = " " if any(cell.endswith(" ") for cell in body[0]) else ""  # for marks after the values
        named = [[corner, *(name + room for name in self.names)], *body]
        if self.in_markdown or max(map(width, aligned(named))) <= self.room:
            return self.table(named)
        numbers = [f"{place + 1}{room}" for place in range(len(self.names))]
        legend = ", ".join(f"{place + 1} {name}" for place, name in enumerate(self.names))
        first, *rest = map(list, zip([corner, *numbers], *body, strict=True))
        return [*wrap(legend, self.room), "", *self.divided(first, [[column] for column in rest])]


def figure_text(name: str, value: float) -> str:
    """Write a value: probabilities in percent, values in the target's unit with four digits, times with three."""
    if math.isnan(value):
        return NOTHING
    if ABOUT[name].percent:
        return percent(value)
    if name in SIZES:
        return f"{value:.1f}"
    if name in OWN_UNITS:
        return short_number(value)
    return f"{value:.3g}" if name in TIMES else f"{value:.3f}"


def _with_interval(name: str, figure: Estimate) -> str:
    ends = _ends(figure.interval, lambda value: figure_text(name, value))
    return figure_text(name, figure.mean) + ("" if ends == NOTHING else f" ({ends})")


def _ends(interval: tuple[float, float], words: Callable[[float], str]) -> str:
    if any(map(math.isnan, interval)):
        return NOTHING
    low, high = map(words, interval)
    return f"{low.removesuffix('%')} to {high}"


def _leaves(value: float) -> str:
    return figure_text("leaves", value)


def _p(value: float) -> str:
    if math.isnan(value):
        return NOTHING
    return f"<{SMALL_P}" if value < SMALL_P else f"{value:.3f}"
