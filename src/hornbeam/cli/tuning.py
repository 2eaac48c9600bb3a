"""`hornbeam learn --tune`: parameters chosen by cross-validation before the model is learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.measures import MEASURES, measure_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.data.table import Table
    from hornbeam.evaluate import Tuning
    from hornbeam.schemes import Scheme

ALL = "usual"  # what --tune alone stands for
DEFAULT_FOLDS = 5  # within, and of the nested cross-validation around it: each of its folds tunes anew
NAMES = ("tune", "tune_by", "tune_choose", "tune_folds", "tune_tries", "tune_picture")


def tuning_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options about tuning to a command."""
    options = [
        click.option(
            "--tune",
            is_flag=False,
            flag_value=ALL,
            metavar="[NAME,NAME]",
            help="Choose these parameters by cross-validation. [default: two that declare where to search]",
        ),
        click.option(
            "--tune-by", type=click.Choice(list(MEASURES), case_sensitive=False), help="What settings are judged by."
        ),
        click.option(
            "--tune-choose",
            type=click.Choice(("best", "1-se")),
            default="best",
            show_default=True,
            help="Take the best setting, or the simplest within one standard error of it.",
        ),
        click.option(
            "--tune-folds",
            type=click.IntRange(min=2),
            default=DEFAULT_FOLDS,
            show_default=True,
            metavar="FOLDS",
            help="Folds that settings are judged by.",
        ),
        click.option(
            "--tune-tries",
            type=click.IntRange(min=1),
            metavar="N",
            help="Draw so many settings at random. [default: a grid for one or two parameters]",
        ),
        click.option(
            "--tune-picture", type=click.Path(dir_okay=False), metavar="FILE", help="Draw the settings (.svg)."
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def split_off(options: dict[str, Any]) -> dict[str, Any]:
    """Take what is about tuning out of a command's options."""
    return {name: options.pop(name) for name in NAMES}


def check(wishes: dict[str, Any]) -> None:
    """Refuse before the work what could not be done after it."""
    from hornbeam.cli.output import check_picture

    asked = [f"--{name.replace('_', '-')}" for name in ("tune_by", "tune_tries", "tune_picture") if wishes[name]]
    if wishes["tune"] is None and asked:
        msg = f"{asked[0]} goes with --tune, which was not given"
        raise ValueError(msg)
    path = wishes["tune_picture"]
    if path is None:
        return
    check_picture("--tune-picture", path)
    if wishes["tune_tries"] is not None:
        msg = "--tune-picture draws a grid, and --tune-tries draws settings at random; leave out one of them"
        raise ValueError(msg)


def parameters_to_tune(scheme: Scheme, estimator: Any, named: str, typed: Sequence[str]) -> list[str]:  # noqa: ANN401
    """Give the parameters named, as options or as in Python; or the usual ones but for those that were typed."""
    from hornbeam.evaluate.tuning.settings import usual

    if named == ALL:
        return usual(estimator, fixed=typed)
    words = [word.strip() for word in named.split(",") if word.strip()]
    return list(dict.fromkeys(parameter_named(scheme, word) for word in words))


def parameter_named(scheme: Scheme, word: str) -> str:
    """Give the name in Python of a parameter, however it is typed: max-depth, --max-depth or max_depth."""
    options = {(p.option or "").removeprefix("--"): p.name for p in scheme.parameters}
    typed = word.removeprefix("--")
    return options.get(typed, typed)


def tune(
    learner: Any,  # noqa: ANN401 - any estimator of ours
    table: Table,
    parameters: Sequence[str],
    wishes: dict[str, Any],
    *,
    nested: int,
    seed: int,
    n_jobs: int | None,
    quiet: bool,
) -> Tuning:
    """Tune with a progress bar, and draw what was asked for."""
    import warnings

    from hornbeam.cli.output import progress_bar, write_picture
    from hornbeam.evaluate import tune as search
    from hornbeam.evaluate.tuning.settings import MOST_IN_GRID
    from hornbeam.learn.linear.few_rows import FewRowsWarning

    path = wishes["tune_picture"]
    if path is not None and len(parameters) > MOST_IN_GRID:
        msg = f"--tune-picture draws one or two parameters, and --tune names {len(parameters)}"
        raise ValueError(msg)
    with warnings.catch_warnings(), progress_bar(f"tuning {', '.join(parameters)}", shown=not quiet) as progress:
        warnings.simplefilter("ignore", FewRowsWarning)  # said once, of the model that is shown
        found = search(
            learner,
            table,
            parameters,
            tries=wishes["tune_tries"],
            folds=wishes["tune_folds"],
            seed=seed,
            measure=measure_of(wishes["tune_by"]),
            choose=wishes["tune_choose"],
            nested=nested or False,
            n_jobs=n_jobs,
            progress=progress,
        )
    if path is not None:
        write_picture(path, found.svg())
    return found
