"""`hornbeam learn --tune`: parameters chosen by cross-validation before the model is learned."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.options import (
    MEASURES,
    OptionGroup,
    count_option,
    file_option,
    measure_of,
    refuse_without,
    tune_folds_option,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.data.table import Table
    from hornbeam.evaluate import Tuning
    from hornbeam.schemes import Scheme

ALL = "usual"  # the value of --tune without names
NESTED_FOLDS = 5  # folds of the outer cross-validation: each of them tunes again

tuning_options = OptionGroup(
    click.option(
        "--tune",
        is_flag=False,
        flag_value=ALL,
        metavar="[NAME,NAME]",
        help="Choose these parameters by cross-validation. [default: the scheme's first two with a search range]",
    ),
    click.option(
        "--tune-by", type=click.Choice(list(MEASURES), case_sensitive=False), help="Choose settings by this metric."
    ),
    click.option(
        "--tune-choose",
        type=click.Choice(("best", "1-se")),
        default="best",
        show_default=True,
        help="Choose the best setting, or the simplest within one standard error of it.",
    ),
    tune_folds_option,
    count_option("--tune-tries", "N", "Try this many random settings. [default: a grid for one or two parameters]"),
    file_option("--tune-picture", help="Draw the settings (.svg)."),
)


def check_tuning(given: dict[str, Any]) -> None:
    """Check, before a long computation, that the options can be used."""
    from hornbeam.cli.output import check_picture

    refuse_without("tune", given, ("tune_by", "tune_tries", "tune_picture"))
    path = given["tune_picture"]
    if path is None:
        return
    check_picture("--tune-picture", path)
    if given["tune_tries"] is not None:
        msg = "--tune-picture draws a grid, and --tune-tries tries random settings; leave out one of them"
        raise ValueError(msg)


def parameters_to_tune(scheme: Scheme, estimator: Any, named: str, typed: Sequence[str]) -> list[str]:  # noqa: ANN401
    """Return the named parameters, as options or as in Python; or the default ones except those that were given."""
    from hornbeam.evaluate.tuning.settings import usual

    if named == ALL:
        return usual(estimator, fixed=typed)
    words = [word.strip() for word in named.split(",") if word.strip()]
    return list(dict.fromkeys(parameter_named(scheme, word) for word in words))


def parameter_named(scheme: Scheme, word: str) -> str:
    """Return the Python name of a parameter given as max-depth, --max-depth or max_depth."""
    options = {(p.option or "").removeprefix("--"): p.name for p in scheme.parameters}
    typed = word.removeprefix("--")
    return options.get(typed, typed)


def tune(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    table: Table,
    parameters: Sequence[str],
    given: dict[str, Any],
    *,
    nested: int,
    order: str | None,
    seed: int,
    quiet: bool,
) -> Tuning:
    """Tune with a progress bar, draw the settings if requested, and set the chosen parameters."""
    from hornbeam.cli.output import progress_bar, write_picture
    from hornbeam.cli.reading import in_time
    from hornbeam.evaluate import tune as search
    from hornbeam.evaluate.comparing.methods import for_folds
    from hornbeam.evaluate.tuning.settings import MOST_IN_GRID
    from hornbeam.learn.linear.few_rows import FewRowsWarning

    path = given["tune_picture"]
    if path is not None and len(parameters) > MOST_IN_GRID:
        msg = f"--tune-picture draws one or two parameters, and --tune names {len(parameters)}"
        raise ValueError(msg)
    with warnings.catch_warnings(), progress_bar(f"tuning {', '.join(parameters)}", shown=not quiet) as progress:
        warnings.simplefilter("ignore", FewRowsWarning)  # shown once, for the final model
        tuning = search(
            for_folds(estimator),
            table,
            parameters,
            tries=given["tune_tries"],
            folds=in_time(given["tune_folds"], order),
            seed=seed,
            measure=measure_of(given["tune_by"]),
            choose=given["tune_choose"],
            nested=nested or False,
            n_jobs=estimator.get_params().get("n_jobs"),
            progress=progress,
        )
    if path is not None:
        write_picture(path, tuning.svg())
    estimator.set_params(**tuning.chosen.setting)
    return tuning
