"""`hornbeam curve`: scores of a scheme by rows, by a parameter or by threshold; bias and variance of its errors."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.options import (
    MEASURES,
    count_option,
    cross_validation_options,
    file_option,
    group_option,
    json_option,
    measure_of,
    order_option,
    target_option,
)
from hornbeam.cli.reading import grouped, print_about, read_table, table_options, with_target
from hornbeam.cli.scheme_options import NONE, SchemeCommand, chosen, learner_option, scheme_for

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.evaluate import CrossValidation
    from hornbeam.evaluate.verdicts.conclusion import Verdict
    from hornbeam.learn.base.in_threads import Progress
    from hornbeam.schemes import Scheme

DEFAULT_ROUNDS = 100
ROWS, BIAS_VARIANCE = "rows", "bias-variance"
OF_CLASSES = ("roc", "precision-recall", "lift", "calibration", "confusion")
OF_NUMBERS = ("residuals",)
MOST_VALUES = 1_000
NOT_OF_MODELS = frozenset({"n_jobs", "device", "random_state", "keep_alternatives"})  # do not change the model


class CurveCommand(SchemeCommand):
    """A command with the options of a scheme that change what is learned."""

    left_out = NOT_OF_MODELS | {"keep_trace"}


@click.command(cls=CurveCommand, short_help="Draw scores of a scheme: by rows, by a parameter, by threshold.")
@click.argument("source", metavar="DATA")
@click.option(
    "--of",
    "of",
    required=True,
    metavar="CURVE",
    help=f"{ROWS}, a parameter of the scheme (such as min-samples-leaf), {BIAS_VARIANCE}, "
    f"{', '.join((*OF_CLASSES, *OF_NUMBERS))}.",
)
@click.option(
    "--values",
    metavar="X,X",
    help="Values to try: numbers or fractions of rows, or a parameter's values (1,2,4, 1..9, none).",
)
@click.option("--along", metavar="PARAMETER", help=f"With --of {BIAS_VARIANCE}: for several values of this parameter.")
@target_option
@learner_option
@cross_validation_options
@count_option("--rounds", "N", f"Number of samples drawn for {BIAS_VARIANCE}.", least=2, default=DEFAULT_ROUNDS)
@click.option(
    "--by", type=click.Choice(list(MEASURES), case_sensitive=False), help=f"The score, for {ROWS} and parameters."
)
@click.option("--class", "of_class", metavar="NAME", help="The class to draw the curve of. [default: the rarer of two]")
@group_option
@order_option
@json_option
@file_option("--save-picture", "picture", help="Draw the curve (.png, .svg or .pdf); needs matplotlib.")
@table_options
@click.pass_context
def curve(
    context: click.Context,
    /,
    source: str,
    of: str,
    values: str | None,
    along: str | None,
    target: str | None,
    scheme_name: str,
    rounds: int,
    by: str | None,
    of_class: str | None,
    group: str | None,
    order: str | None,
    as_json: bool,
    picture: str | None,
    **options: Any,  # noqa: ANN401 - for reading, and of the scheme
) -> None:
    """Draw how well a scheme predicts on DATA.

    rows: scores by the number of training rows. A parameter: scores by its values. bias-variance: the error decomposed
    into bias and variance. The others evaluate predictions for rows held out by cross-validation, each row once.
    """
    from hornbeam.cli.output import progress_bar
    from hornbeam.data.schema import Nominal
    from hornbeam.learn.linear.few_rows import FewRowsWarning
    from hornbeam.show import plot

    if picture is not None:
        plot.ready(picture)  # fails before the long computation if the picture cannot be written
    reading, shared = table_options.split_off(options), cross_validation_options.split_off(options)
    folds, repeats, seed = shared.pop("folds"), shared.pop("repeats"), shared["seed"]
    table, note = with_target(read_table(source, target, **reading), target, **reading)
    table = grouped(table, group)
    goal = table.schema.target_column
    scheme = scheme_for(context, scheme_name, goal)
    _check(
        of, goal.name, values=values, along=along, by=by, of_class=of_class, repeats=repeats, order=order,
        nominal=isinstance(goal, Nominal),
    )  # fmt: skip
    print_about(table, note, quiet=as_json, order=order)
    held_out = of in OF_CLASSES or of in OF_NUMBERS
    conclusion: Verdict | None = None
    estimator = scheme.load()(**{**_fixed(scheme, seed, held_out=held_out), **chosen(scheme, context)})
    with warnings.catch_warnings(), progress_bar(f"curve of {of}", shown=not as_json) as progress:
        warnings.simplefilter("ignore", FewRowsWarning)  # the curve itself shows the effect of few rows
        shared["progress"] = progress
        if held_out:
            drawn, kept = _held_out(estimator, table, of, of_class, folds=folds, order=order, **shared)
            folds, conclusion = kept.folds, _verdict(kept, table, scheme, order)
        elif of == BIAS_VARIANCE:
            drawn = _split(estimator, table, scheme, along, values, rounds=rounds, **shared)
        else:
            shared["measure"] = measure_of(by)
            shared |= {"folds": folds, "repeats": repeats, "order": order}
            drawn = _scores(estimator, table, scheme, of, values, **shared)
            conclusion = _verdict_on(drawn, table, scheme, shared)
    if picture is not None:
        plot.save(drawn.chart(), picture)
    about = {"table": table.schema.name, "learner": type(estimator).__name__, "folds": folds, "seed": seed}
    headline = _headline(table, scheme, folds, seed, order) if held_out else ""
    _print(drawn, conclusion, headline, about | {"order": order}, as_json=as_json)


def _print(drawn: Any, conclusion: Verdict | None, headline: str, about: dict[str, Any], *, as_json: bool) -> None:  # noqa: ANN401 - any curve
    """Print the curve and a verdict; for held-out predictions, also how they were made (`headline`)."""
    from hornbeam.cli.options import fitted
    from hornbeam.cli.output import show_verdict, write_json

    if as_json:
        write_json(
            (about if headline else {})
            | drawn.to_json()
            | ({} if conclusion is None else {"verdict": conclusion.to_json()})
        )
        return
    if headline:
        click.echo(f"{fitted(headline)}\n")
    click.echo(fitted(drawn.text()))
    if conclusion is not None:
        show_verdict(conclusion)


def _verdict(kept: CrossValidation, table: Table, scheme: Scheme, order: str | None) -> Verdict:
    """Return the verdict on the held-out predictions of a curve."""
    from hornbeam.cli.output import noun_of
    from hornbeam.data.notices import findings_of
    from hornbeam.evaluate.verdicts.doubts import doubts_of
    from hornbeam.evaluate.verdicts.of_score import of_score

    return of_score(kept.score, noun_of(scheme.makes)).with_doubts(doubts_of(findings_of(table, order)))


def _verdict_on(drawn: Any, table: Table, scheme: Scheme, shared: dict[str, Any]) -> Verdict:  # noqa: ANN401 - a Curve
    """Return the verdict on the best point of a curve against the baseline, on the same folds."""
    from hornbeam.data.notices import findings_of
    from hornbeam.evaluate import learning_curve
    from hornbeam.evaluate.comparing.methods import BASELINE, schemes_by_name
    from hornbeam.evaluate.verdicts.doubts import doubts_of
    from hornbeam.evaluate.verdicts.of_curve import of_curve

    baseline = schemes_by_name([scheme.name], scheme.predicts)[BASELINE]
    level = learning_curve(baseline, table, [1.0], **{**shared, "measure": drawn.measure, "progress": None})
    return of_curve(drawn, level).with_doubts(doubts_of(findings_of(table, shared["order"])))


def _fixed(scheme: Scheme, seed: int, *, held_out: bool) -> dict[str, Any]:
    """Return the parameters that the command sets: one thread per model, and the seed if each row is predicted once.

    Other curves fit several models to the same rows, each with a different seed.
    """
    fixed: dict[str, Any] = {"n_jobs": 1} | ({"random_state": seed} if held_out else {})
    return {name: value for name, value in fixed.items() if scheme.has(name)}


def _check(
    of: str,
    target: str,
    *,
    values: str | None,
    along: str | None,
    by: str | None,
    of_class: str | None,
    repeats: int,
    order: str | None,
    nominal: bool,
) -> None:
    """Check, before a long computation, that the options do not contradict each other."""
    from hornbeam.evaluate.curves.class_curves import KINDS

    held_out = of in OF_CLASSES or of in OF_NUMBERS
    wrong = None
    if of in OF_CLASSES and not nominal:
        wrong = f"--of {of} is for classes, and the target {target!r} is numeric: use --of {', '.join(OF_NUMBERS)}"
    elif of in OF_NUMBERS and nominal:
        wrong = f"--of {of} is for numbers, and the target {target!r} is nominal: use --of {', '.join(OF_CLASSES)}"
    elif along is not None and of != BIAS_VARIANCE:
        wrong = f"--along needs --of {BIAS_VARIANCE}; for scores by a parameter use --of {along}"
    elif values is not None and (held_out or (of == BIAS_VARIANCE and along is None)):
        wrong = f"--values needs --of {ROWS}, --of PARAMETER or --along PARAMETER; --of {of} has no values to try"
    elif of_class is not None and of not in KINDS:
        wrong = f"--class needs --of {', '.join(KINDS)}; --of {of} is for all classes"
    elif (repeats > 1 or by is not None) and (held_out or of == BIAS_VARIANCE):
        option = "--by" if by is not None else "--repeats"
        wrong = f"{option} is for --of {ROWS} and --of PARAMETER, not for --of {of}"
    elif order is not None and of == BIAS_VARIANCE:
        wrong = f"--order follows time, and --of {BIAS_VARIANCE} draws rows at random; expected one of them"
    elif order is not None and repeats > 1:
        wrong = f"--repeats is {repeats}; folds in order of time (--order {order}) are always the same: expected 1"
    if wrong is not None:
        raise ValueError(wrong)


def _scores(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    table: Table,
    scheme: Scheme,
    of: str,
    values: str | None,
    **shared: Any,  # noqa: ANN401 - of the curve
) -> Any:  # noqa: ANN401 - a Curve
    from hornbeam.evaluate import complexity_curve, learning_curve

    numbers = None if values is None else _numbers(values)
    if of == ROWS:
        if numbers is not None and None in numbers:
            msg = f"--values is {values!r}; expected numbers of rows, or fractions up to 1.0, with --of {ROWS}"
            raise ValueError(msg)
        return learning_curve(estimator, table, numbers, **shared)
    return complexity_curve(estimator, table, _parameter(scheme, of, has_values=numbers is not None), numbers, **shared)


def _split(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    table: Table,
    scheme: Scheme,
    along: str | None,
    values: str | None,
    **shared: Any,  # noqa: ANN401 - of the curve
) -> Any:  # noqa: ANN401 - a BiasVariance or BiasVarianceCurve
    from hornbeam.evaluate import bias_variance, bias_variance_curve

    if along is None:
        return bias_variance(estimator, table, **shared)
    numbers = None if values is None else _numbers(values)
    return bias_variance_curve(
        estimator, table, _parameter(scheme, along, has_values=numbers is not None), numbers, **shared
    )


def _held_out(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    table: Table,
    of: str,
    of_class: str | None,
    *,
    folds: int,
    seed: int,
    n_jobs: int,
    progress: Progress | None,
    order: str | None,
) -> tuple[Any, CrossValidation]:
    """Predict every row with a model that has not seen it; return the evaluation and the predictions."""
    from hornbeam.data.schema import Nominal
    from hornbeam.evaluate import confusion, cross_validate, residuals
    from hornbeam.evaluate.curves.class_curves import KINDS, class_curves

    if of in KINDS and not hasattr(estimator, "predict_proba"):
        msg = f"--of {of} needs class probabilities, which {type(estimator).__name__} does not have: use --of confusion"
        raise ValueError(msg)
    kept = cross_validate(
        estimator, table, folds, seed, n_jobs, progress, keep_probabilities=of in OF_CLASSES, order=order
    )
    goal, known = table.schema.target_column, kept.fold >= 0
    truth, predicted = table.target_values()[known], kept.predictions[known]
    weights = None if table.weights is None else table.weights[known]
    if not isinstance(goal, Nominal):
        return residuals(truth, predicted, weights), kept
    if of == "confusion":
        return confusion(truth, predicted, goal.categories, weights), kept
    assert kept.probabilities is not None
    curves = class_curves(of, truth, kept.probabilities[known], goal.categories, weights, only=of_class)  # type: ignore[arg-type]
    return curves, kept


def _parameter(scheme: Scheme, word: str, *, has_values: bool) -> str:
    from hornbeam.cli.tuning import parameter_named
    from hornbeam.schemes import SCHEMES

    name = parameter_named(scheme, word)
    numeric = {p.name: p.option for p in scheme.parameters if p.kind in ("number", "integer") and p.option}
    if name not in numeric or name in NOT_OF_MODELS:
        curves = ", ".join((ROWS, BIAS_VARIANCE, *OF_CLASSES, *OF_NUMBERS))
        named = ", ".join(option.removeprefix("--") for name, option in numeric.items() if name not in NOT_OF_MODELS)
        owners = dict.fromkeys(
            one.name
            for one in SCHEMES
            if one.predicts == scheme.predicts and one.has(name.replace("-", "_")) and one.name != scheme.name
        )
        msg = (
            f"there is no curve of {word!r}: expected {curves}, or a numeric parameter of the scheme {scheme.name}: "
            f"{named}" + (f"; schemes with a parameter {word!r}: {', '.join(owners)}" if owners else "")
        )
        raise ValueError(msg)
    if not has_values and next(p for p in scheme.parameters if p.name == name).search is None:
        option = name.replace("_", "-")
        msg = f"the scheme {scheme.name} has no default values of {option} to try: add them, such as --values 1,2,4,8"
        raise ValueError(msg)
    return name


def _numbers(typed: str) -> list[float | None]:
    """Read values: numbers between commas, 1..9 for the integers from 1 to 9, or none."""
    numbers: list[float | None] = []
    for word in filter(None, (word.strip() for word in typed.split(","))):
        low, dots, high = word.partition("..")
        try:
            if dots and int(high) - int(low) < MOST_VALUES:
                numbers += range(int(low), int(high) + 1)
            elif dots or word.lower() == NONE:
                numbers.append(None if not dots else int("too many"))
            else:
                numbers.append(int(word) if word.lstrip("+-").isdigit() else float(word))
        except ValueError:
            msg = f"--values has {word!r}; expected numbers such as 1,2,4 or 0.1,0.25, 1..9, or {NONE}"
            raise ValueError(msg) from None
    if not numbers:
        msg = f"--values is {typed!r}; expected numbers such as 1,2,4 or 0.1,0.25, 1..9, or {NONE}"
        raise ValueError(msg)
    return numbers


def _headline(table: Table, scheme: Scheme, folds: int, seed: int, order: str | None) -> str:
    from hornbeam.show.texts.wording import NAME_LIMIT, printable

    name = printable(table.schema.name, NAME_LIMIT)
    judged = f"predictions for rows held out by {folds}-fold cross-validation (seed {seed})"
    if order is not None:
        judged = f"predictions of {folds} folds in the order of {printable(order, NAME_LIMIT)} (seed {seed})"
    return f"{name}: {table.n_rows} rows, {scheme.title}, {judged}"
