"""`hornbeam learn --coverage --stability`: calibrated leaves or rules, and how stable the splits of a tree are."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.options import OptionGroup, count_option, refuse_without

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.evaluate import CalibratedModel, StabilityStudy

calibration_options = OptionGroup(
    click.option(
        "--coverage",
        type=float,
        metavar="FRACTION",
        help="Give each leaf or rule a set of classes, or an interval, that is right for this fraction of new rows.",
    ),
    click.option(
        "--hold-out",
        type=float,
        metavar="FRACTION",
        help="For --coverage: hold out this fraction of the rows for calibration. "
        "[default: calibrate by cross-validation]",
    ),
    count_option(
        "--stability",
        "TREES",
        "Learn this many trees from bootstrap samples, and report how often each split recurs.",
    ),
)


def check_calibration(given: dict[str, Any], style: str | None, *, tuned: bool) -> None:
    """Check, before a long computation, that the result can be computed and shown."""
    from hornbeam.learn.base.parameters import between

    for name in ("coverage", "hold_out"):
        if given[name] is not None:
            between(f"--{name.replace('_', '-')}", given[name], 0, 1)
    refuse_without("coverage", given, ("hold_out",))
    if given["hold_out"] is not None and tuned:
        msg = "--tune uses all rows, so that none are left for --hold-out; leave out one of them"
        raise ValueError(msg)
    for name in ("coverage", "stability"):
        if given[name] is not None and style not in (None, "default", "ascii"):
            msg = f"--{name} works with the styles default and ascii, not with --style {style}"
            raise ValueError(msg)


def check_model(given: dict[str, Any], model: Any, scheme: str) -> None:  # noqa: ANN401 - any model
    """Raise an error for a model that has no leaves, rules or splits to report on."""
    if given["coverage"] is None and given["stability"] is None:
        return
    from hornbeam.model.rules.rule import RuleList
    from hornbeam.model.trees.tree import Tree

    if given["coverage"] is not None and not isinstance(model, Tree | RuleList):
        msg = f"--coverage is for trees and rules; --scheme {scheme} learns neither"
        raise ValueError(msg)
    if given["stability"] is not None and not isinstance(model, Tree):
        msg = f"--stability is for the splits of one tree, which --scheme {scheme} does not learn"
        raise ValueError(msg)


def study(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    rows: Table,
    given: dict[str, Any],
    calibrated: CalibratedModel | None,
    *,
    seed: int,
    quiet: bool,
) -> tuple[CalibratedModel | None, StabilityStudy | None]:
    """Calibrate the leaves by cross-validation, unless that is done, and test the stability of splits, if requested."""
    if given["coverage"] is None and given["stability"] is None:
        return None, None
    from hornbeam.cli.output import progress_bar
    from hornbeam.evaluate import conformal, stability
    from hornbeam.evaluate.comparing.methods import for_folds
    from hornbeam.learn.linear.few_rows import FewRowsWarning

    learner = for_folds(estimator)
    shared: dict[str, Any] = {"seed": seed, "fitted": estimator, "n_jobs": estimator.get_params().get("n_jobs")}
    stable = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewRowsWarning)  # shown once, for the final model
        if given["coverage"] is not None and calibrated is None:
            with progress_bar("calibrating the leaves", shown=not quiet) as progress:
                calibrated = conformal(learner, rows, given["coverage"], method="cross", progress=progress, **shared)
        if given["stability"] is not None:
            with progress_bar("learning from bootstrap samples", shown=not quiet) as progress:
                stable = stability(learner, rows, given["stability"], progress=progress, **shared)
    return calibrated, stable
