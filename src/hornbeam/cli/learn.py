"""`hornbeam learn`: learn a model from a table, show it and evaluate it."""

from __future__ import annotations

import sys
import time
import warnings
from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.calibration import calibration_options, check_calibration, check_model, study
from hornbeam.cli.options import (
    STYLES,
    NoneOrFolds,
    OptionGroup,
    all_option,
    file_option,
    fold_options,
    json_option,
    seed_option,
    target_option,
)
from hornbeam.cli.reading import grouped, print_about, read_like, read_table, scan_options, table_options, with_target
from hornbeam.cli.scheme_options import SchemeCommand, chosen, learner_option, scheme_for
from hornbeam.cli.tuning import NESTED_FOLDS, check_tuning, parameters_to_tune, tune, tuning_options

if TYPE_CHECKING:
    from hornbeam.cli.learn_result import LearnResult
    from hornbeam.data.table import Table
    from hornbeam.evaluate import CalibratedModel, CrossValidation, Tuning
    from hornbeam.schemes.scheme import Scheme

DEFAULT_FOLDS = 10
CHOOSES_ROWS = ("ib2", "ib3", "ib5")


def _check_path(_context: click.Context, _parameter: click.Parameter, path: str | None) -> str | None:
    """Check, before a long computation, that the picture can be written."""
    from hornbeam.cli.output import check_picture

    if path is not None:
        check_picture("--picture", path)
    return path


view_options = OptionGroup(
    click.option("--why", is_flag=True, help="Print how every split and every pruning step was decided."),
    click.option("--p-values", is_flag=True, help="Print the p-value of each split (chi-square test)."),
    click.option("--list-rows", is_flag=True, help="ib2, ib3, ib5: list the rows kept, and those dropped as noise."),
    click.option("--style", type=click.Choice(STYLES), help="How to print the tree."),
)


@click.command(cls=SchemeCommand, short_help="Learn a model from a table, show it and evaluate it.")
@click.argument("source", metavar="DATA")
@target_option
@learner_option
@click.option(
    "--cv",
    type=NoneOrFolds(),
    metavar="FOLDS",
    help="Number of cross-validation folds, 0 for none. "
    f"[default: {DEFAULT_FOLDS} ({NESTED_FOLDS} with --tune), or none with --test]",
)
@seed_option
@fold_options
@click.option("--test", metavar="DATA", help="Also evaluate the model on these rows.")
@file_option("--save", help="Write the model to this file.")
@file_option(
    "--picture",
    callback=_check_path,
    help="Draw the model (.svg); for a forest, the importance of its columns.",
)
@all_option
@json_option
@click.option("--hints/--no-hints", default=None, help="Suggest what to try next. [default: on a terminal]")
@view_options
@calibration_options
@tuning_options
@scan_options
@table_options
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
    as_json: bool,
    hints: bool | None,
    **options: Any,  # noqa: ANN401 - for views, tuning, calibration and reading, and of the scheme
) -> None:
    """Learn a model from DATA, show it and evaluate it.

    DATA is a file (CSV, Excel, JSON, Parquet), - for standard input, or the name of an example set such as weather or
    iris. The last options belong to the scheme: add --scheme NAME to --help to see those of another.
    """
    from hornbeam.cli.learn_result import LearnResult

    if options["engine"] is not None:
        _learn_scanned(context)
        return
    view, reading = view_options.split_off(options), table_options.split_off(options)
    tuned, checked = tuning_options.split_off(options), calibration_options.split_off(options)
    group, order = fold_options.split_off(options).values()
    check_tuning(tuned)
    folds = _folds(cv, test, tuned, order)
    check_calibration(checked, view["style"], tuned=tuned["tune"] is not None)
    table, note = with_target(read_table(source, target, **reading), target, **reading)
    table = grouped(table, group)
    scheme = scheme_for(context, scheme_name, goal := table.schema.target_column)
    parameters = chosen(scheme, context)
    _check_view(scheme, goal.name, **view)
    by_target = scheme.name != scheme_name.lower()
    numeric = (f"the target {goal.name!r} is numeric: --scheme {scheme.name}",) if by_target else ()
    notes, cautions = print_about(table, note, quiet=as_json, order=order, more=numeric)
    result = LearnResult(
        scheme=scheme,
        table=table,
        notes=notes,
        cautions=cautions,
        scheme_by_target=by_target,
        **{name: view[name] for name in ("p_values", "list_rows")},
        **_learn(
            _estimator(scheme, parameters, seed, why=view["why"]),
            table,
            _test_rows(table, test, group, reading),
            scheme,
            tuned | {"fixed": list(parameters)},
            checked,
            folds=folds,
            order=order,
            seed=seed,
            quiet=as_json,
        ),
    )
    _write_files(result, save, picture)
    _print(result, view, as_json=as_json)
    if not as_json and (hints or (hints is None and sys.stdout.isatty())):
        from hornbeam.cli.learn_result import suggest

        suggest(result, source, target=target, saved=save)


def _learn_scanned(context: click.Context) -> None:
    """Learn from data that may be larger than memory."""
    from hornbeam.cli.scanning.scanned import check_engine, learn_scanned, scanned

    given = context.params
    check_engine(context, given["target"])
    with scanned(given["source"], given["target"], given, given) as rows:
        scheme = scheme_for(context, given["scheme_name"], rows.schema.target_column)
        estimator = _estimator(scheme, chosen(scheme, context), given["seed"], why=False)
        folds = given["cv"] or 0  # none unless requested
        learn_scanned(estimator, rows, folds, save=given["save"], as_json=given["as_json"], style=given["style"])


def _print(result: LearnResult, view: dict[str, Any], *, as_json: bool) -> None:
    """Print the result for people, or write it as JSON."""
    from hornbeam.cli.output import tree_style, write_json

    if as_json:
        write_json(result.to_json(view["style"] or "default", why=view["why"]))
    else:
        result.show(tree_style(view["style"]), why=view["why"])


def _learn(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    table: Table,
    test: Table | None,
    scheme: Scheme,
    tuned: dict[str, Any],
    checked: dict[str, Any],
    *,
    folds: int,
    order: str | None,
    seed: int,
    quiet: bool,
) -> dict[str, Any]:
    """Tune, fit, calibrate and score an estimator; return the fields of a `LearnResult`."""
    from hornbeam.data.notices import findings_of
    from hornbeam.evaluate.scores import score_estimator

    tuning = None
    if tuned["tune"] is not None:
        names = parameters_to_tune(scheme, estimator, tuned["tune"], tuned["fixed"])
        tuning = tune(estimator, table, names, tuned, nested=folds, order=order, seed=seed, quiet=quiet)
    started = time.perf_counter()
    estimator, rows, calibrated = _fit(estimator, table, checked, seed)
    seconds = time.perf_counter() - started
    check_model(checked, estimator.model_, scheme.name)
    calibrated, stable = study(estimator, rows, checked, calibrated, seed=seed, quiet=quiet)
    return {
        "estimator": estimator,
        "seconds": seconds,
        "train": score_estimator(estimator, rows, ranked=False),
        "validation": _validate(estimator, table, folds, order, seed, tuning, quiet=quiet),
        "test": None if test is None else score_estimator(estimator, test),
        "covered": None if test is None or calibrated is None else calibrated.covered(test),
        "tuning": tuning,
        "order": order,
        "findings": findings_of(table, order),
        "calibration": calibrated,
        "stability": stable,
    }


def _estimator(scheme: Scheme, parameters: dict[str, Any], seed: int, *, why: bool) -> Any:  # noqa: ANN401 - any estimator of ours
    """Make the estimator with the given parameters, and the seed if it takes one."""
    usual: dict[str, Any] = {"random_state": seed} if scheme.has("random_state") else {}
    return scheme.load()(**{**usual, **parameters, **({"keep_trace": True} if why else {})})


def _folds(cv: int | None, test: str | None, tuned: dict[str, Any], order: str | None) -> int:
    """Return the number of folds: as given, or the default; raise an error for an order without folds."""
    tunes = tuned["tune"] is not None
    folds = cv if cv is not None else 0 if test else NESTED_FOLDS if tunes else DEFAULT_FOLDS
    if order is not None and not folds and not tunes:
        msg = f"--order {order} is for the folds of cross-validation, and there are none; add --cv {DEFAULT_FOLDS}"
        raise ValueError(msg)
    return folds


def _test_rows(table: Table, test: str | None, group: str | None, reading: dict[str, Any]) -> Table | None:
    """Read the test rows, with their groups if they have them."""
    if test is None:
        return None
    rows = read_like(table.schema, test, **reading)
    return rows.assign({group: "group"}) if group in rows.schema.names else rows


def _fit(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    table: Table,
    checked: dict[str, Any],
    seed: int,
) -> tuple[Any, Table, CalibratedModel | None]:
    """Fit the estimator on the table, or on a part if the rest calibrates it; return it and its training rows."""
    if checked["hold_out"] is None:
        return estimator.fit(table), table, None
    from hornbeam.evaluate import conformal

    calibrated = conformal(estimator, table, checked["coverage"], hold_out=checked["hold_out"], seed=seed)
    assert calibrated.learned_rows is not None
    return calibrated.estimator, table.take(calibrated.learned_rows), calibrated


def _write_files(result: LearnResult, save: str | None, picture: str | None) -> None:
    """Write the model and its picture to files, if requested."""
    if save is not None:
        result.estimator.save(save, None if result.calibration is None else result.calibration.nodes)
    if picture is not None:
        from hornbeam.cli.output import picture_of, write_picture
        from hornbeam.model.trees.tree import Tree

        studied: dict[str, Any] = {"calibration": result.calibration, "stability": result.stability}
        write_picture(
            picture, picture_of(result.estimator, **(studied if isinstance(result.estimator.model_, Tree) else {}))
        )


def _check_view(scheme: Scheme, target: str, *, style: str | None, why: bool, p_values: bool, list_rows: bool) -> None:
    """Check, before a long computation, that the result can be shown."""
    wrong = None
    if why and not scheme.has("keep_trace"):
        wrong = f"--why shows how splits were chosen and pruned; the scheme {scheme.name} does not record that"
    elif list_rows and scheme.name not in CHOOSES_ROWS:
        wrong = (
            f"--list-rows is for the schemes {', '.join(CHOOSES_ROWS)}, which keep some of the rows; not {scheme.name}"
        )
    elif p_values and scheme.predicts != "category":
        wrong = f"--p-values tests splits against classes, and the target {target!r} is numeric"
    elif p_values and style not in (None, "default", "ascii"):
        wrong = f"--p-values works with the styles default and ascii, not with --style {style}"
    if wrong is not None:
        raise ValueError(wrong)


def _validate(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    table: Table,
    folds: int,
    order: str | None,
    seed: int,
    tuning: Tuning | None,
    *,
    quiet: bool,
) -> CrossValidation | None:
    """Cross-validate an estimator; if it was tuned, this has been done already, including the tuning."""
    if not folds:
        return None
    if tuning is not None:
        return None if tuning.nested is None else tuning.nested.validation
    from hornbeam.cli.output import progress_bar
    from hornbeam.data.schema import Nominal
    from hornbeam.evaluate import cross_validate
    from hornbeam.evaluate.class_figures import MOST_RANKED
    from hornbeam.evaluate.comparing.methods import for_folds
    from hornbeam.learn.linear.few_rows import FewRowsWarning

    n_jobs = estimator.get_params().get("n_jobs")  # threads for the folds: the models of folds use one each
    target = table.schema.target_column
    ranked = isinstance(target, Nominal) and len(target.categories) <= MOST_RANKED
    with warnings.catch_warnings(), progress_bar(f"{folds}-fold cross-validation", shown=not quiet) as progress:
        warnings.simplefilter("ignore", FewRowsWarning)  # shown once, for the final model
        return cross_validate(
            for_folds(estimator), table, folds, seed, n_jobs, progress, keep_probabilities=ranked, order=order
        )
