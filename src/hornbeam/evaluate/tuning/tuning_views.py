"""Tuning as text (a table of settings, the choice, the reliability of the score) and as a picture.

The picture is a heat map of two parameters, or a line with error bars of one.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import partial
from textwrap import wrap as wrap_words
from typing import TYPE_CHECKING

from hornbeam.data.in_words import percent
from hornbeam.evaluate.measures import ABOUT, printed
from hornbeam.evaluate.scores import ClassificationScore
from hornbeam.schemes.scheme import Range
from hornbeam.show.charts.error_bars import Point, error_bars
from hornbeam.show.charts.heat_map import Cells, heat_map
from hornbeam.show.texts.columns import aligned
from hornbeam.show.texts.wording import printable, short_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.evaluate.comparing.comparison import Measure
    from hornbeam.evaluate.tuning.settings import Grid, Setting
    from hornbeam.evaluate.tuning.tuning import Nested, Trial, Tuning
    from hornbeam.schemes.scheme import Value

ROOM = 110  # width of a terminal
wrap = partial(wrap_words, break_on_hyphens=False)
NAME_LIMIT = 40
MOST_LISTED, MOST_PROBLEMS = 12, 3
NOTHING = "-"
MOST_DIGITS = 8
FINER = ("all of the range", "finer, around the best")


def write(found: Tuning) -> str:
    """Write the result of tuning as lines without a trailing newline."""
    names = " and ".join(", ".join(found.searches).rsplit(", ", 1))
    head = f"{printable(found.table, NAME_LIMIT)}: {found.n_rows} rows, {_folds(found)}, "
    head += f"the same folds for every setting (seed {found.seed}); {printed(found.measure)} by {names}"
    lines = [*wrap(head, ROOM), ""]
    if len(found.searches) == 2 and found.grids:  # noqa: PLR2004 - rows and columns
        for grid in found.grids:
            lines += [*_grid(found, grid), ""]
    else:
        lines += [*_list(found), ""]
    lines += [*_choice(found), *_problems(found)]
    return "\n".join(lines)


def of_value(value: Value) -> str:
    """Write a value as it is; a power of two that has many digits as a power.

    Examples
    --------
    >>> of_value(0.125), of_value(2.0**-15), of_value(0.000316), of_value(None)
    ('0.125', '2^-15', '0.000316', 'none')
    """
    words = "none" if value is None else printable(str(value), NAME_LIMIT)
    if isinstance(value, float) and len(words) > MOST_DIGITS and math.frexp(value)[0] == 0.5:  # noqa: PLR2004
        return f"2^{math.frexp(value)[1] - 1}"
    return words


def of_setting(setting: Setting) -> str:
    """Write a setting in a line.

    Examples
    --------
    >>> of_setting({"k": 5, "weighting": None})
    'k = 5, weighting = none'
    """
    return ", ".join(f"{name} = {of_value(value)}" for name, value in setting.items())


def of_figure(figure: float, measure: Measure) -> str:
    """Write a score: an accuracy as a percentage."""
    return percent(figure) if ABOUT[measure].percent else short_number(figure)


def _mark(found: Tuning, trial: Trial) -> str:
    return "*" if trial is found.best else "+" if trial is found.simplest else " "


def _grid(found: Tuning, grid: Grid) -> list[str]:
    """Rows are values of the first parameter, columns of the second."""
    (first, downwards), (second, across) = grid.axes.items()
    rows = [[f"{first} \\ {second}", *(of_value(value) + " " for value in across)]]
    for value in downwards:
        row = [of_value(value)]
        for other in across:
            trial = found.trial({first: value, second: other})
            words = NOTHING if trial.score is None else of_figure(trial.score.mean, found.measure)
            row.append(words + _mark(found, trial))
        rows.append(row)
    return aligned(rows)


def _list(found: Tuning) -> list[str]:
    """One setting per line: all values of one parameter, or the best of many settings."""
    sign = -1 if found.higher_is_better else 1
    judged = [trial for trial in found.trials if trial.score is not None]
    only = len(found.searches) == 1
    if only and all(isinstance(value, (int, float)) for trial in judged for value in trial.setting.values()):
        judged.sort(key=lambda trial: next(iter(trial.setting.values())))  # type: ignore[arg-type,return-value]
    elif not only:
        judged.sort(key=lambda trial: sign * trial.score.mean if trial.score is not None else 0.0)
    shown = judged if only else judged[:MOST_LISTED]
    rows = [[*found.searches, f"{printed(found.measure)} ", "standard error"]]
    for trial in shown:
        assert trial.score is not None
        figure = of_figure(trial.score.mean, found.measure) + _mark(found, trial)
        values = [of_value(value) for value in trial.setting.values()]
        rows.append([*values, figure, of_figure(trial.score.standard_error, found.measure)])
    lines = aligned(rows, ())
    if len(shown) < len(judged):
        lines.append(f"... the best {len(shown)} of {len(judged)} settings")
    return lines


def _choice(found: Tuning) -> list[str]:
    """The best and the simplest setting, and the reliability of the score."""
    best, simplest = found.best, found.simplest
    words = [f"* best: {_judged(found, best)}. As given: {_judged(found, found.given)}."]
    if simplest is not best:
        words.append(f"+ simplest within one standard error of it: {_judged(found, simplest)}.")
    if any(isinstance(search, Range) and search.simpler for search in found.searches.values()):
        which = "best" if found.chosen is best else "simplest near the best"
        words.append(f"Chosen: the {which}, {of_setting(found.chosen.setting)}.")
    for name in found.at_edge():
        search = found.searches[name]
        assert isinstance(search, Range)
        ends = f"{of_value(search.low)} to {of_value(search.high)}"
        words.append(f"The best {name} is an end of the search range ({ends}): values beyond it were not tried.")
    tried = sum(trial.score is not None for trial in found.trials)
    flattering = f"The best of {tried} settings was chosen on the rows that it is evaluated on: its score is optimistic"
    words.append(flattering + ("." if found.nested is not None else "; nested cross-validation gives an unbiased one."))
    if found.nested is not None:
        words += _nested_lines(found.nested)
    return [line for text in words for line in wrap(text, ROOM)]


def _judged(found: Tuning, trial: Trial) -> str:
    if trial.score is None:
        return f"{of_setting(trial.setting)}, not evaluated"
    error = of_figure(trial.score.standard_error, found.measure)
    return f"{of_setting(trial.setting)}, {of_figure(trial.score.mean, found.measure)} (standard error {error})"


def _nested_lines(nested: Nested) -> list[str]:
    score = nested.validation.score
    words = f"Unbiased, tuned again inside each of {nested.validation.folds} folds: "
    if isinstance(score, ClassificationScore):
        low, high = (f"{100 * end:.1f}" for end in score.interval)
        words += f"{percent(score.accuracy)} right (95% interval {low} to {high}%)"
        words += "" if score.mean_cost is None else f", mean cost {short_number(score.mean_cost)}"
    else:
        words += f"root mean squared error {short_number(score.root_mean_squared_error)}"
    counts = Counter(of_setting(setting) for setting in nested.settings).most_common()
    chosen = "; ".join(f"{setting} ({_times(count)})" for setting, count in counts)
    return [f"{words}.", f"Chosen there: {chosen}."]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _problems(found: Tuning) -> list[str]:
    """Settings that could not be evaluated, and why; warnings, each once."""
    failed = [trial for trial in found.trials if trial.score is None]
    said = [f"{of_setting(trial.setting)}: not evaluated, {printable(trial.problem or '')}" for trial in failed]
    return [*_some(said, "more settings could not be evaluated"), *_some(found.remarks, "more warnings")]


def _some(texts: Sequence[str], rest: str) -> list[str]:
    lines = [line for text in texts[:MOST_PROBLEMS] for line in wrap(printable(text), ROOM)]
    more = len(texts) - MOST_PROBLEMS
    return [*lines, f"... {more} {rest}"] if more > 0 else lines


def draw(found: Tuning) -> str:
    """Draw the result of tuning as SVG; only grids have a picture."""
    if not found.grids:
        msg = f"{len(found.searches)} parameters were tried at random; a picture needs a grid of one or two parameters"
        raise ValueError(msg)
    if all(trial.score is None for grid in found.grids for trial in _of(found, grid)):
        msg = f"no setting of the grid of {', '.join(found.searches)} could be evaluated; there is nothing to draw"
        raise ValueError(msg)
    return _heat(found) if len(found.searches) > 1 else _line(found)


def _heat(found: Tuning) -> str:
    figures = [trial.score.mean for grid in found.grids for trial in _of(found, grid) if trial.score is not None]
    worst, best = (min, max) if found.higher_is_better else (max, min)
    upright, across = found.searches
    return heat_map(
        [_cells(found, grid, FINER[min(place, 1)]) for place, grid in enumerate(found.grids)],
        title=f"{found.table}: {printed(found.measure)} by {upright} and {across}",
        subtitle=_how_tuned(found),
        x_label=across,
        y_label=upright,
        measure=found.measure,
        ends=(of_figure(worst(figures), found.measure), of_figure(best(figures), found.measure)),
        higher_is_better=found.higher_is_better,
    )


def _of(found: Tuning, grid: Grid) -> list[Trial]:
    return [found.trial(setting) for setting in grid.settings()]


def _cells(found: Tuning, grid: Grid, title: str) -> Cells:
    rows, columns = grid.axes.values()
    wide = len(columns)
    trials = _of(found, grid)
    lined = [trials[start : start + wide] for start in range(0, len(trials), wide)]
    marks = {}
    for name, marked in (("best", found.best), ("simplest", found.simplest)):
        place = next((place for place, trial in enumerate(trials) if trial is marked), None)
        if place is not None:
            marks[name] = divmod(place, wide)
    return Cells(
        title if len(found.grids) > 1 else "",
        [of_value(value) for value in columns],
        [of_value(value) for value in rows],
        [[math.nan if trial.score is None else trial.score.mean for trial in line] for line in lined],
        [[_short(found, trial) for trial in line] for line in lined],
        [[_note(found, trial) for trial in line] for line in lined],
        marks,
    )


def _line(found: Tuning) -> str:
    ((name, search),) = found.searches.items()
    values = [value for grid in found.grids for value in grid.axes[name]]
    numbers = isinstance(search, Range) or all(isinstance(value, (int, float)) for value in values)
    trials = {str(trial.setting): trial for grid in found.grids for trial in _of(found, grid)}
    judged = [trial for trial in trials.values() if trial.score is not None]
    if numbers:
        judged.sort(key=lambda trial: trial.setting[name])  # type: ignore[arg-type,return-value]
    points = []
    for place, trial in enumerate(judged):
        assert trial.score is not None
        value = trial.setting[name]
        at = place / max(len(judged) - 1, 1)
        if isinstance(search, Range) and isinstance(value, (int, float)):
            at = search.place(value)
        mark = "best" if trial is found.best else "simplest" if trial is found.simplest else ""
        error = trial.score.standard_error
        points.append(Point(at, of_value(value), trial.score.mean, error, _note(found, trial), mark))
    return error_bars(
        points,
        title=f"{found.table}: {printed(found.measure)} by {name}",
        subtitle=_how_tuned(found),
        x_label=f"{name}{' (equal ratios, equal distances)' if isinstance(search, Range) and search.by_ratio else ''}",
        y_label=found.measure,
        text=lambda figure: of_figure(figure, found.measure),
    )


def _folds(found: Tuning) -> str:
    if found.order is None:
        return f"{found.folds}-fold cross-validation"
    return f"{found.folds} folds in the order of {printable(found.order, NAME_LIMIT)}"


def _how_tuned(found: Tuning) -> str:
    words = f"{found.n_rows} rows, {_folds(found)}, the same folds for every setting"
    if found.best.score is not None and not any(
        trial is found.best for grid in found.grids for trial in _of(found, grid)
    ):
        words += f"; best as given: {of_setting(found.best.setting)}, {of_figure(found.best.score.mean, found.measure)}"
    return words


def _short(found: Tuning, trial: Trial) -> str:
    return "-" if trial.score is None else of_figure(trial.score.mean, found.measure).removesuffix("%")


def _note(found: Tuning, trial: Trial) -> str:
    if trial.score is None:
        return f"{of_setting(trial.setting)}\nnot evaluated: {trial.problem}"
    error = of_figure(trial.score.standard_error, found.measure)
    figure = of_figure(trial.score.mean, found.measure)
    return f"{of_setting(trial.setting)}\n{printed(found.measure)} {figure}, standard error {error}"
