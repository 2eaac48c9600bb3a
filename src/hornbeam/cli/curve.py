"""`hornbeam curve`: how good a scheme is against rows, a parameter or a threshold; what its errors are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.judging import judging_options, target_option
from hornbeam.cli.measures import MEASURES, measure_of
from hornbeam.cli.reading import read_table, reading_options, with_target
from hornbeam.cli.scheme_options import DEFAULT_SCHEME, NUMBER_SCHEME, PREFIX, SchemeCommand, chosen, scheme_for
from hornbeam.schemes import NAMES

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.learn.base.in_threads import Progress
    from hornbeam.schemes import Scheme

DEFAULT_ROUNDS = 100
ROWS, BIAS_VARIANCE = "rows", "bias-variance"
OF_CLASSES = ("roc", "precision-recall", "lift", "calibration", "confusion")
OF_NUMBERS = ("residuals",)
NONE = "none"
MOST_VALUES = 1_000
NOT_OF_MODELS = frozenset(
    {"n_jobs", "random_state", "keep_alternatives"}
)  # parameters that do not change what is learned


class CurveCommand(SchemeCommand):
    """Takes the options of a scheme, but for those that are about threads."""

    left_out = NOT_OF_MODELS | {"keep_trace"}


@click.command(cls=CurveCommand, short_help="Draw how good a scheme is: by rows, by a parameter, by threshold.")
@click.argument("source", metavar="DATA")
@click.option(
    "--of",
    "of",
    required=True,
    metavar="CURVE",
    help=f"{ROWS}, a parameter of the scheme (such as max-depth), {BIAS_VARIANCE}, "
    f"{', '.join((*OF_CLASSES, *OF_NUMBERS))}.",
)
@click.option(
    "--values", metavar="X,X", help="What to try: rows or shares of them, or a parameter's values (1,2,4, 1..9, none)."
)
@click.option("--along", metavar="PARAMETER", help=f"With --of {BIAS_VARIANCE}: split for several values of it.")
@target_option
@click.option(
    "-s",
    "--scheme",
    "scheme_name",
    type=click.Choice(NAMES, case_sensitive=False),
    default=DEFAULT_SCHEME,
    help=f"How to learn; see hornbeam schemes. [default: {DEFAULT_SCHEME}; for numbers {NUMBER_SCHEME}]",
)
@judging_options
@click.option(
    "--rounds",
    type=click.IntRange(min=2),
    default=DEFAULT_ROUNDS,
    show_default=True,
    metavar="N",
    help=f"Samples drawn for {BIAS_VARIANCE}.",
)
@click.option(
    "--by", type=click.Choice(list(MEASURES), case_sensitive=False), help=f"What scores are, of {ROWS} and parameters."
)
@click.option("--class", "of_class", metavar="NAME", help="The class whose curve is drawn. [default: of two the rarer]")
@click.option("--group", metavar="COLUMN", help="Rows of one group stay together; the column is not learned from.")
@click.option(
    "--order",
    metavar="COLUMN",
    help="Every fold learns from earlier rows (by this column) and is tested on later ones.",
)
@click.option("--json", "as_json", is_flag=True, help="Write everything as JSON.")
@click.option(
    "--save-picture",
    "picture",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Draw the curve (.png, .svg or .pdf); needs matplotlib.",
)
@reading_options
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
    cv: int,
    repeats: int,
    rounds: int,
    by: str | None,
    of_class: str | None,
    group: str | None,
    order: str | None,
    seed: int,
    n_jobs: int,
    as_json: bool,
    picture: str | None,
    **options: Any,  # noqa: ANN401 - for reading, and of the scheme
) -> None:
    """Draw a curve of how good a scheme is on DATA.

    Of rows: scores against rows learned from. Of a parameter: scores against its values. Of bias-variance: what errors
    are made of. The others judge answers to rows held out by cross-validation, each row once.
    """
    import warnings

    from hornbeam.cli.output import progress_bar, remark, write_json
    from hornbeam.data.schema import Nominal
    from hornbeam.learn.linear.few_rows import FewRowsWarning
    from hornbeam.show import plot

    if picture is not None:
        plot.ready(picture)  # fail before the long work
    reading = {name: value for name, value in options.items() if not name.startswith(PREFIX)}
    table, said = with_target(read_table(source, target, **reading), target)
    if said is not None and not as_json:
        remark(said)
    if group is not None:
        table = _grouped(table, group)
    goal = table.schema.target_column
    nominal = isinstance(goal, Nominal)
    scheme = scheme_for(context, scheme_name, goal.name, "category" if nominal else "number")
    _check_order(order, table, scheme)
    _check(
        of, goal.name, values=values, along=along, by=by, of_class=of_class, repeats=repeats, order=order,
        nominal=nominal,
    )  # fmt: skip
    judged = of in OF_CLASSES or of in OF_NUMBERS
    own = {parameter.name for parameter in scheme.parameters}
    # Threads take a model each; where curves have several models of the same rows, these draw anew by themselves.
    fixed = {name: value for name, value in (("n_jobs", 1), ("random_state", seed)) if name in own}
    if not judged:
        fixed.pop("random_state", None)
    estimator = scheme.load()(**{**fixed, **chosen(scheme, context)})
    with warnings.catch_warnings(), progress_bar(f"curve of {of}", shown=not as_json) as progress:
        warnings.simplefilter("ignore", FewRowsWarning)  # the curve itself tells what few rows do
        wishes: dict[str, Any] = {"seed": seed, "n_jobs": n_jobs, "progress": progress}
        if judged:
            found, cv = _held_out(estimator, table, of, of_class, folds=cv, order=order, **wishes)
        elif of == BIAS_VARIANCE:
            found = _split(estimator, table, scheme, along, values, rounds=rounds, **wishes)
        else:
            wishes["measure"] = measure_of(by)
            found = _scores(estimator, table, scheme, of, values, folds=cv, repeats=repeats, order=order, **wishes)
    if picture is not None:
        plot.save(found.chart(), picture)
    if as_json:
        about = {"table": table.schema.name, "learner": type(estimator).__name__, "folds": cv, "seed": seed}
        about |= {"order": order}
        write_json((about if judged else {}) | found.to_json())
        return
    if judged:
        click.echo(_headline(table, estimator, cv, seed, order))
        click.echo()
    click.echo(found.text())


def _check_order(order: str | None, table: Table, scheme: Scheme) -> None:
    """Refuse what is meant for the scheme's own option of that name."""
    if order is None or order in table.schema.names:
        return
    for parameter in scheme.parameters:
        if parameter.option == "--order" and order in parameter.choices:
            msg = f"--order {order}: there is no column of that name; the scheme's option is --{scheme.name}-order"
            raise ValueError(msg)


def _grouped(table: Table, column: str) -> Table:
    """Give the table with its groups in a column."""
    if table.schema.position(column) == table.schema.target:
        msg = f"--group {column} is the target; expected another column"
        raise ValueError(msg)
    return table.assign({column: "group"})


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
    """Refuse before the work what does not go together."""
    from hornbeam.evaluate.curves.class_curves import KINDS

    judged = of in OF_CLASSES or of in OF_NUMBERS
    wrong = None
    if of in OF_CLASSES and not nominal:
        wrong = f"--of {of} is about classes, and the target {target!r} holds numbers: --of {', '.join(OF_NUMBERS)}"
    elif of in OF_NUMBERS and nominal:
        wrong = f"--of {of} is about numbers, and the target {target!r} holds categories: --of {', '.join(OF_CLASSES)}"
    elif along is not None and of != BIAS_VARIANCE:
        wrong = f"--along goes with --of {BIAS_VARIANCE}; for scores along it say --of {along}"
    elif values is not None and (judged or (of == BIAS_VARIANCE and along is None)):
        wrong = f"--values goes with --of {ROWS}, --of PARAMETER or --along PARAMETER; --of {of} has none to try"
    elif of_class is not None and of not in KINDS:
        wrong = f"--class goes with --of {', '.join(KINDS)}; --of {of} is of all classes"
    elif (repeats > 1 or by is not None) and (judged or of == BIAS_VARIANCE):
        option = "--by" if by is not None else "--repeats"
        wrong = f"{option} goes with --of {ROWS} and --of PARAMETER, not with --of {of}"
    elif order is not None and of == BIAS_VARIANCE:
        wrong = f"--order goes by time, and --of {BIAS_VARIANCE} draws rows at random; expected one of them"
    elif order is not None and repeats > 1:
        wrong = f"--repeats is {repeats}; folds that go by time (--order {order}) are always the same: expected 1"
    if wrong is not None:
        raise ValueError(wrong)


def _scores(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    table: Table,
    scheme: Scheme,
    of: str,
    values: str | None,
    **wishes: Any,  # noqa: ANN401 - of the curve
) -> Any:  # noqa: ANN401 - a Curve
    from hornbeam.evaluate import complexity_curve, learning_curve

    numbers = None if values is None else _numbers(values)
    if of == ROWS:
        if numbers is not None and None in numbers:
            msg = f"--values is {values!r}; expected rows, or shares up to 1.0, with --of {ROWS}"
            raise ValueError(msg)
        return learning_curve(estimator, table, numbers, **wishes)  # type: ignore[arg-type]
    return complexity_curve(estimator, table, _parameter(scheme, of), numbers, **wishes)


def _split(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    table: Table,
    scheme: Scheme,
    along: str | None,
    values: str | None,
    **wishes: Any,  # noqa: ANN401 - of the curve
) -> Any:  # noqa: ANN401 - a BiasVariance or BiasVarianceCurve
    from hornbeam.evaluate import bias_variance, bias_variance_curve

    if along is None:
        return bias_variance(estimator, table, **wishes)
    numbers = None if values is None else _numbers(values)
    return bias_variance_curve(estimator, table, _parameter(scheme, along), numbers, **wishes)


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
) -> tuple[Any, int]:
    """Answer every row by a model that has not seen it, and judge the answers; tell how many folds there were."""
    from hornbeam.data.schema import Nominal
    from hornbeam.evaluate import confusion, cross_validate, residuals
    from hornbeam.evaluate.curves.class_curves import KINDS, class_curves

    if of in KINDS and not hasattr(estimator, "predict_proba"):
        msg = f"--of {of} needs shares of classes, and {type(estimator).__name__} gives none: --of confusion"
        raise ValueError(msg)
    kept = cross_validate(estimator, table, folds, seed, n_jobs, progress, keep_shares=of in KINDS, order=order)
    goal, known = table.schema.target_column, kept.fold >= 0
    truth, answers = table.target_values()[known], kept.predictions[known]
    weights = None if table.weights is None else table.weights[known]
    if not isinstance(goal, Nominal):
        return residuals(truth, answers, weights), kept.folds
    if of == "confusion":
        return confusion(truth, answers, goal.categories, weights), kept.folds
    assert kept.shares is not None
    found = class_curves(of, truth, kept.shares[known], goal.categories, weights, only=of_class)  # type: ignore[arg-type]
    return found, kept.folds


def _parameter(scheme: Scheme, word: str) -> str:
    from hornbeam.cli.tuning import parameter_named

    name = parameter_named(scheme, word)
    numeric = {p.name: p.option for p in scheme.parameters if p.kind in ("number", "integer") and p.option}
    if name not in numeric or name in NOT_OF_MODELS:
        curves = ", ".join((ROWS, BIAS_VARIANCE, *OF_CLASSES, *OF_NUMBERS))
        named = ", ".join(option.removeprefix("--") for name, option in numeric.items() if name not in NOT_OF_MODELS)
        msg = f"there is no curve of {word!r}: expected {curves}, or a number of the scheme {scheme.name}: {named}"
        raise ValueError(msg)
    return name


def _numbers(typed: str) -> list[float | None]:
    """Read values: numbers with commas between them, 1..9 for the whole numbers from 1 to 9, none."""
    found: list[float | None] = []
    for word in filter(None, (word.strip() for word in typed.split(","))):
        low, dots, high = word.partition("..")
        try:
            if dots and int(high) - int(low) < MOST_VALUES:
                found += range(int(low), int(high) + 1)
            elif dots or word.lower() == NONE:
                found.append(None if not dots else int("too many"))
            else:
                found.append(int(word) if word.lstrip("+-").isdigit() else float(word))
        except ValueError:
            msg = f"--values has {word!r}; expected numbers such as 1,2,4 or 0.1,0.25, 1..9, or {NONE}"
            raise ValueError(msg) from None
    if not found:
        msg = f"--values is {typed!r}; expected numbers such as 1,2,4 or 0.1,0.25, 1..9, or {NONE}"
        raise ValueError(msg)
    return found


def _headline(table: Table, estimator: Any, folds: int, seed: int, order: str | None) -> str:  # noqa: ANN401 - any estimator
    from hornbeam.show.texts.wording import NAME_LIMIT, printable

    name = printable(table.schema.name, NAME_LIMIT)
    judged = f"answers to rows held out by {folds}-fold cross-validation (seed {seed})"
    if order is not None:
        judged = f"predictions of {folds} folds in the order of {printable(order, NAME_LIMIT)} (seed {seed})"
    return f"{name}: {table.n_rows} rows, {type(estimator).__name__}, {judged}"
