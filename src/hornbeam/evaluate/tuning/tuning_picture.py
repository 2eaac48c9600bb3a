"""Tuning as a picture: a heat map of two parameters, a line with error bars of one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.evaluate.tuning.tuning_text import of_figure, of_setting, of_value
from hornbeam.schemes.search_range import Range
from hornbeam.show.charts.error_bars import Point, error_bars
from hornbeam.show.charts.heat_map import Cells, heat_map

if TYPE_CHECKING:
    from hornbeam.evaluate.tuning.settings import Grid
    from hornbeam.evaluate.tuning.tuning import Trial, Tuning

FINER = ("all of the range", "finer, around the best")


def draw(found: Tuning) -> str:
    """Draw what tuning found as SVG; only grids have a picture."""
    if not found.grids:
        msg = f"{len(found.searches)} parameters were tried at random; a picture needs a grid of one or two parameters"
        raise ValueError(msg)
    if all(trial.score is None for grid in found.grids for trial in _of(found, grid)):
        msg = f"no setting of the grid of {', '.join(found.searches)} could be judged; there is nothing to draw"
        raise ValueError(msg)
    return _heat(found) if len(found.searches) > 1 else _line(found)


def _heat(found: Tuning) -> str:
    figures = [trial.score.mean for grid in found.grids for trial in _of(found, grid) if trial.score is not None]
    worst, best = (min, max) if found.higher_is_better else (max, min)
    upright, across = found.searches
    return heat_map(
        [_cells(found, grid, FINER[min(place, 1)]) for place, grid in enumerate(found.grids)],
        title=f"{found.table}: {found.measure} by {upright} and {across}",
        subtitle=_told_how(found),
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
        title=f"{found.table}: {found.measure} by {name}",
        subtitle=_told_how(found),
        x_label=f"{name}{' (equal ratios, equal distances)' if isinstance(search, Range) and search.by_ratio else ''}",
        y_label=found.measure,
        text=lambda figure: of_figure(figure, found.measure),
    )


def _told_how(found: Tuning) -> str:
    told = f"{found.n_rows} rows, {found.folds}-fold cross-validation, the same folds for every setting"
    if found.best.score is not None and not any(
        trial is found.best for grid in found.grids for trial in _of(found, grid)
    ):
        told += f"; best as given: {of_setting(found.best.setting)}, {of_figure(found.best.score.mean, found.measure)}"
    return told


def _short(found: Tuning, trial: Trial) -> str:
    return "-" if trial.score is None else of_figure(trial.score.mean, found.measure).removesuffix("%")


def _note(found: Tuning, trial: Trial) -> str:
    if trial.score is None:
        return f"{of_setting(trial.setting)}\nnot judged: {trial.problem}"
    error = of_figure(trial.score.standard_error, found.measure)
    figure = of_figure(trial.score.mean, found.measure)
    return f"{of_setting(trial.setting)}\n{found.measure} {figure}, standard error {error}"
