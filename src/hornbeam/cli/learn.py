"""`hornbeam learn`: a model from a table, shown and judged."""

from __future__ import annotations

import sys
import time
import warnings
from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli import calibration
from hornbeam.cli.calibration import calibration_options
from hornbeam.cli.judging import seed_option, target_option
from hornbeam.cli.reading import read_like, read_table, reading_options, with_target
from hornbeam.cli.scheme_options import DEFAULT_SCHEME, NUMBER_SCHEME, PREFIX, SchemeCommand, chosen, scheme_for
from hornbeam.cli.styles import STYLES
from hornbeam.cli.tuning import DEFAULT_FOLDS as TUNED_FOLDS
from hornbeam.cli.tuning import check, parameters_to_tune, split_off, tune, tuning_options
from hornbeam.schemes import NAMES

if TYPE_CHECKING:
    from hornbeam.cli.lesson import Lesson
    from hornbeam.data.table import Table
    from hornbeam.evaluate import CrossValidation, Tuning
    from hornbeam.schemes.scheme import Scheme

DEFAULT_FOLDS = 10
CHOOSES_ROWS = ("ib2", "ib3", "ib5")


def _checked(_context: click.Context, _parameter: click.Parameter, path: str | None) -> str | None:
    """Refuse, before the work, a picture that could not be written after it."""
    from hornbeam.cli.output import check_picture

    if path is not None:
        check_picture("--picture", path)
    return path


@click.command(cls=SchemeCommand, short_help="Learn a model from a table, show it and judge it.")
@click.argument("source", metavar="DATA")
@target_option
@click.option(
    "-s",
    "--scheme",
    "scheme_name",
    type=click.Choice(NAMES, case_sensitive=False),
    default=DEFAULT_SCHEME,
    help=f"How to learn; see hornbeam schemes. [default: {DEFAULT_SCHEME}; for numbers {NUMBER_SCHEME}]",
)
@click.option(
    "--cv",
    type=click.IntRange(min=0),
    metavar="FOLDS",
    help="Cross-validate with this many folds, 0 for none. "
    f"[default: {DEFAULT_FOLDS} ({TUNED_FOLDS} with --tune), or none with --test]",
)
@seed_option
@click.option("--test", metavar="DATA", help="Judge the model on these rows too.")
@click.option("--save", type=click.Path(dir_okay=False), metavar="FILE", help="Write the model to this file.")
@click.option(
    "--picture",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    callback=_checked,
    help="Draw the model (.svg); of a forest, the importance of its columns.",
)
@click.option("--why", is_flag=True, help="Print the arithmetic behind every split and every pruning step.")
@click.option("--chance", is_flag=True, help="Tell how likely each split is to be chance (chi-square test).")
@click.option("--list-rows", is_flag=True, help="ib2, ib3, ib5: list the rows kept, and those dropped as noise.")
@click.option("--style", type=click.Choice(STYLES), help="How the tree is drawn.")
@click.option("--json", "as_json", is_flag=True, help="Write everything as JSON.")
@click.option("--hints/--no-hints", default=None, help="Say what to try next. [default: on a terminal]")
@calibration_options
@tuning_options
@reading_options
@click.pass_context
def learn(
    context: click.Context,
    /,
    source: str,
    target: str | None,
    scheme_name: str,
    cv: int | None,
    seed: int,
    test: str | None,
    save: str | None,
    picture: str | None,
    why: bool,
    chance: bool,
    list_rows: bool,
    style: str | None,
    as_json: bool,
    hints: bool | None,
    **options: Any,  # noqa: ANN401 - for tuning, for reading, and of the scheme
) -> None:
    """Learn a model from DATA, show it and judge it.

    DATA is a file (CSV, ARFF, Parquet, Feather), - for standard input, or the name of an example set such as weather or
    iris. The last options belong to the scheme: add --scheme NAME to --help to see those of another.
    """
    from hornbeam.cli.lesson import Lesson, report_reading, suggest
    from hornbeam.cli.output import tree_style, write_json
    from hornbeam.data.examine import examine
    from hornbeam.data.schema import Nominal
    from hornbeam.evaluate import score_estimator
    from hornbeam.evaluate.comparing.methods import for_folds

    wishes = split_off(options)
    check(wishes)
    figures = calibration.split_off(options)
    calibration.check(figures, style, tuned=wishes["tune"] is not None)
    reading = {name: value for name, value in options.items() if not name.startswith(PREFIX)}
    table, said = with_target(read_table(source, target, **reading), target)
    goal = table.schema.target_column
    scheme = scheme_for(context, scheme_name, goal.name, "category" if isinstance(goal, Nominal) else "number")
    parameters = chosen(scheme, context)
    _check_views(scheme, style, goal.name, why=why, chance=chance, list_rows=list_rows)
    remarks = [*table.notes, *([said] if said else [])]
    if scheme.name != scheme_name.lower():
        remarks.append(f"the target {goal.name!r} is a number: --scheme {scheme.name}")
    cautions = [finding.message for finding in examine(table)]
    if not as_json:
        report_reading(remarks, cautions)
    drawn = {"random_state": seed} if any(p.name == "random_state" for p in scheme.parameters) else {}
    estimator = scheme.load()(**{**drawn, **parameters, **({"keep_trace": True} if why else {})})
    usual = DEFAULT_FOLDS if wishes["tune"] is None else TUNED_FOLDS
    folds = (0 if test else usual) if cv is None else cv
    tuning = None
    if wishes["tune"] is not None:
        names = parameters_to_tune(scheme, estimator, wishes["tune"], list(parameters))
        n_jobs = estimator.get_params().get("n_jobs")
        learner = for_folds(estimator)
        tuning = tune(learner, table, names, wishes, nested=folds, seed=seed, n_jobs=n_jobs, quiet=as_json)
        estimator.set_params(**tuning.chosen.setting)
    started = time.perf_counter()
    estimator, rows, calibrated = calibration.teach(estimator, table, figures, scheme, seed)
    seconds = time.perf_counter() - started
    calibrated, stable = calibration.study(estimator, rows, figures, calibrated, seed=seed, quiet=as_json)

    judged = read_like(table.schema, test, **reading) if test else None
    lesson = Lesson(
        scheme=scheme,
        estimator=estimator,
        table=table,
        seconds=seconds,
        train=score_estimator(estimator, rows),
        validation=_validate(estimator, table, folds, seed, tuning, quiet=as_json),
        test=None if judged is None else score_estimator(estimator, judged),
        covered=None if judged is None or calibrated is None else calibrated.covered(judged),
        remarks=remarks,
        cautions=cautions,
        chosen_for_me=scheme.name != scheme_name.lower(),
        chance=chance,
        list_rows=list_rows,
        tuning=tuning,
        calibration=calibrated,
        stability=stable,
    )
    _keep(lesson, save, picture)
    if as_json:
        write_json(lesson.to_json(style or "default", why=why))
        return
    lesson.show(tree_style(style), why=why)
    if hints or (hints is None and sys.stdout.isatty()):
        suggest(lesson, source, target=target, saved=save)


def _keep(lesson: Lesson, save: str | None, picture: str | None) -> None:
    """Write the model and its picture to files, where that is wanted."""
    if save is not None:
        lesson.estimator.save(save, None if lesson.calibration is None else lesson.calibration.nodes)
    if picture is not None:
        from hornbeam.cli.output import picture_of, write_picture
        from hornbeam.model.trees.tree import Tree

        is_tree = isinstance(lesson.estimator.model_, Tree)
        told = {"calibration": lesson.calibration, "stability": lesson.stability}
        figures: dict[str, Any] = told if is_tree else {}
        write_picture(picture, picture_of(lesson.estimator, **figures))


def _check_views(scheme: Scheme, style: str | None, target: str, *, why: bool, chance: bool, list_rows: bool) -> None:
    """Refuse, before the work, what could not be shown after it."""
    if why and not any(p.name == "keep_trace" for p in scheme.parameters):
        msg = f"--why tells how splits were chosen and pruned; the scheme {scheme.name} does not keep that"
        raise ValueError(msg)
    if list_rows and scheme.name not in CHOOSES_ROWS:
        msg = (
            f"--list-rows is for the schemes {', '.join(CHOOSES_ROWS)}, which keep some of the rows; not {scheme.name}"
        )
        raise ValueError(msg)
    if chance and scheme.predicts != "category":
        msg = f"--chance tests splits against classes, and the target {target!r} holds numbers"
        raise ValueError(msg)
    if chance and style not in (None, "default", "ascii"):
        msg = f"--chance goes with the styles default and ascii, not with --style {style}"
        raise ValueError(msg)


def _validate(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    table: Table,
    folds: int,
    seed: int,
    tuning: Tuning | None,
    *,
    quiet: bool,
) -> CrossValidation | None:
    """Cross-validate an estimator; where it was tuned, that has been done, tuning included."""
    if not folds:
        return None
    if tuning is not None:
        return None if tuning.nested is None else tuning.nested.validation
    from hornbeam.cli.output import progress_bar
    from hornbeam.evaluate import cross_validate
    from hornbeam.evaluate.comparing.methods import for_folds
    from hornbeam.learn.linear.few_rows import FewRowsWarning

    n_jobs = estimator.get_params().get("n_jobs")  # they go to the folds, beside which models are small
    with warnings.catch_warnings(), progress_bar(f"{folds}-fold cross-validation", shown=not quiet) as progress:
        warnings.simplefilter("ignore", FewRowsWarning)  # said once, of the model that is shown
        return cross_validate(for_folds(estimator), table, folds, seed, n_jobs, progress)
