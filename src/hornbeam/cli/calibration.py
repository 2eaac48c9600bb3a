"""`hornbeam learn --coverage --stability`: what the leaves of a tree are worth, and its splits."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.data.table import Table
    from hornbeam.evaluate import CalibratedModel, StabilityStudy
    from hornbeam.schemes import Scheme

NAMES = ("coverage", "hold_out", "stability")


def calibration_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options about leaves and splits to a command."""
    options = [
        click.option(
            "--coverage",
            type=float,
            metavar="SHARE",
            help="Tell at each leaf or rule the set of classes, or the interval, that this share of new rows is in.",
        ),
        click.option(
            "--hold-out",
            type=float,
            metavar="SHARE",
            help="For --coverage: do not learn from this share of the rows, and let them vouch for it. "
            "[default: rows vouch for it in cross-validation]",
        ),
        click.option(
            "--stability",
            type=click.IntRange(min=1),
            metavar="TREES",
            help="Tell how often each split of a tree comes again in so many trees, learned from other draws of rows.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def split_off(options: dict[str, Any]) -> dict[str, Any]:
    """Take what is about leaves and splits out of a command's options."""
    return {name: options.pop(name) for name in NAMES}


def check(wishes: dict[str, Any], style: str | None, *, tuned: bool) -> None:
    """Refuse before the work what could not be done or shown after it."""
    from hornbeam.learn.base.parameters import between

    for name in ("coverage", "hold_out"):
        if wishes[name] is not None:
            between(f"--{name.replace('_', '-')}", wishes[name], 0, 1)
    if wishes["hold_out"] is not None and wishes["coverage"] is None:
        msg = "--hold-out goes with --coverage, which was not given"
        raise ValueError(msg)
    if wishes["hold_out"] is not None and tuned:
        msg = "--tune looks at all rows, so that none are left for --hold-out; leave out one of them"
        raise ValueError(msg)
    asked = _asked(wishes)
    if asked is not None and style not in (None, "default", "ascii"):
        msg = f"--{asked} goes with the styles default and ascii, not with --style {style}"
        raise ValueError(msg)


def teach(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    table: Table,
    wishes: dict[str, Any],
    scheme: Scheme,
    seed: int,
) -> tuple[Any, Table, CalibratedModel | None]:
    """Learn from the table, or from a part while the rest vouches for it; give what learned, and from which rows."""
    from hornbeam.evaluate import conformal
    from hornbeam.model.rules.rule import RuleList
    from hornbeam.model.trees.tree import Tree

    found = None
    rows = table
    if wishes["hold_out"] is None:
        estimator.fit(table)
    else:
        found = conformal(estimator, table, wishes["coverage"], hold_out=wishes["hold_out"], seed=seed)
        assert found.learned_rows is not None
        estimator, rows = found.estimator, table.take(found.learned_rows)
    if wishes["coverage"] is not None and not isinstance(estimator.model_, Tree | RuleList):
        msg = f"--coverage is about leaves or rules, where rows end; --scheme {scheme.name} learns none"
        raise ValueError(msg)
    if wishes["stability"] is not None and not isinstance(estimator.model_, Tree):
        msg = f"--stability is about the splits of one tree, which --scheme {scheme.name} does not learn"
        raise ValueError(msg)
    return estimator, rows, found


def study(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    rows: Table,
    wishes: dict[str, Any],
    calibrated: CalibratedModel | None,
    *,
    seed: int,
    quiet: bool,
) -> tuple[CalibratedModel | None, StabilityStudy | None]:
    """Find out what is asked for about the leaves and the splits, unless it is known."""
    from hornbeam.cli.output import progress_bar
    from hornbeam.evaluate import conformal, stability
    from hornbeam.evaluate.comparing.methods import for_folds
    from hornbeam.learn.linear.few_rows import FewRowsWarning

    learner = for_folds(estimator)
    shared: dict[str, Any] = {"seed": seed, "fitted": estimator, "n_jobs": estimator.get_params().get("n_jobs")}
    found = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewRowsWarning)  # said once, of the model that is shown
        if wishes["coverage"] is not None and calibrated is None:
            with progress_bar("calibrating the leaves", shown=not quiet) as progress:
                calibrated = conformal(learner, rows, wishes["coverage"], method="cross", progress=progress, **shared)
        if wishes["stability"] is not None:
            with progress_bar("learning from other draws", shown=not quiet) as progress:
                found = stability(learner, rows, wishes["stability"], progress=progress, **shared)
    return calibrated, found


def _asked(wishes: dict[str, Any]) -> str | None:
    return next((name for name in ("coverage", "stability") if wishes[name] is not None), None)
