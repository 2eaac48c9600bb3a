"""`hornbeam compare`: schemes, ways of pruning, or criteria, judged on the same folds of one table or several."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.judging import judging_options, target_option
from hornbeam.cli.measures import MEASURES, measure_of
from hornbeam.cli.reading import read_table, reading_options, with_target
from hornbeam.cli.scheme_options import NONE, PREFIX, SchemeCommand, chosen
from hornbeam.schemes import NAMES, USUAL, find

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.evaluate import Comparison
    from hornbeam.schemes import Predicts

ALL = "all"
VARIED = ("prune", "criterion")  # parameters that may be given several values
KINDS: dict[str, Predicts] = {"categories": "category", "numbers": "number"}
TUNED_FOLDS = 5
LEAST_TABLES = 2  # that have an average


class CompareCommand(SchemeCommand):
    """Takes the options of a scheme, but for those that this command gives several values."""

    default_scheme = "tree"
    left_out = frozenset({*VARIED, "n_jobs", "random_state", "keep_alternatives"})


@click.command(cls=CompareCommand, short_help="Compare schemes, ways of pruning, or criteria, on the same folds.")
@click.argument("sources", metavar="DATA...", nargs=-1, required=True)
@click.option(
    "--schemes",
    multiple=True,
    metavar="NAME,NAME",
    help="Schemes to compare, with a baseline that looks at no column; all: those that fit the target.  "
    f"[default: {', '.join(USUAL['category'])}; for numbers {', '.join(USUAL['number'])}]",
)
@click.option(
    "--prune",
    multiple=True,
    metavar="NAME,NAME",
    help="Ways of pruning to compare, none for no pruning; or all.",
)
@click.option("--criterion", multiple=True, metavar="NAME,NAME", help="Criteria to compare; or all.")
@target_option
@click.option(
    "-s",
    "--scheme",
    "scheme_name",
    type=click.Choice(NAMES, case_sensitive=False),
    default=CompareCommand.default_scheme,
    show_default=True,
    help="How to learn, with --prune or --criterion; see hornbeam schemes.",
)
@click.option(
    "--measure",
    type=click.Choice(list(MEASURES), case_sensitive=False),
    help="What methods are tested and ranked by.  [default: accuracy; for numbers root-mean-squared-error]",
)
@judging_options
@click.option("--group", metavar="COLUMN", help="Rows of one group stay together; the column is not learned from.")
@click.option(
    "--order",
    metavar="COLUMN",
    help="Every fold learns from earlier rows (by this column) and is tested on later ones.",
)
@click.option(
    "--tune", is_flag=True, help="With --schemes: choose two parameters of each in every fold, on its training rows."
)
@click.option(
    "--tune-folds",
    type=click.IntRange(min=2),
    default=TUNED_FOLDS,
    show_default=True,
    metavar="FOLDS",
    help="Folds that settings are judged by.",
)
@click.option("--baseline", metavar="METHOD", help="Test the others against this one.  [default: the first]")
@click.option("--only", type=click.Choice(list(KINDS)), help="Leave out DATA whose target holds something else.")
@click.option("--times", is_flag=True, help="Tell how long learning and predicting took, by the clock.")
@click.option("--json", "as_json", is_flag=True, help="Write everything as JSON.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Write Markdown.")
@click.option(
    "--save-picture",
    "picture",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Draw size against accuracy (.png, .svg or .pdf); needs matplotlib.",
)
@click.option(
    "--save-diagram",
    "diagram",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Draw average ranks over several DATA with the critical difference (.svg).",
)
@reading_options
@click.pass_context
def compare(
    context: click.Context,
    /,
    sources: tuple[str, ...],
    schemes: tuple[str, ...],
    prune: tuple[str, ...],
    criterion: tuple[str, ...],
    target: str | None,
    scheme_name: str,
    measure: str | None,
    cv: int,
    repeats: int,
    group: str | None,
    order: str | None,
    tune: bool,
    tune_folds: int,
    seed: int,
    baseline: str | None,
    only: str | None,
    n_jobs: int,
    times: bool,
    as_json: bool,
    as_markdown: bool,
    picture: str | None,
    diagram: str | None,
    **options: Any,  # noqa: ANN401 - for reading, and of the scheme
) -> None:
    """Compare methods on DATA: how good they are and how large, with tests of whether they differ.

    Each method is judged by cross-validation on the same folds, and whatever it chooses it chooses inside the training
    part. Give --schemes c45,ripper,forest, or for one scheme --prune all, or --criterion all, or some by name: --prune
    none,pessimistic. Several DATA are ranked over. The last options belong to --scheme and hold for all its variants.
    """
    from hornbeam.cli.output import progress_bar, write_json, write_picture
    from hornbeam.evaluate.comparing.compare import compare as judge
    from hornbeam.evaluate.comparing.methods import schemes_by_name, variants
    from hornbeam.learn.linear.few_rows import FewRowsWarning

    if as_json and as_markdown:
        msg = "--json and --markdown were given; expected one of them"
        raise ValueError(msg)
    _check_pictures(picture, diagram, len(sources))
    reading = {name: value for name, value in options.items() if not name.startswith(PREFIX)}
    varied = {
        name: values for name, words in (("criterion", criterion), ("prune", prune)) if (values := _values(words)) != []
    }
    _check_choice(context, schemes, varied, tune=tune)
    measured = measure_of(measure)
    tables, predicts = _tables(sources, target, KINDS.get(only or ""), reading, quiet=as_json)
    if varied:
        given = chosen(find(scheme_name, predicts), context)
        methods = variants(scheme_name.lower(), varied, predicts=predicts, **given)
    else:
        named = _listed(schemes) or None
        methods = schemes_by_name(named, predicts, tune=tune, tune_folds=tune_folds, tune_by=measured)
    with warnings.catch_warnings(), progress_bar("cross-validation", shown=not as_json) as progress:
        warnings.simplefilter("ignore", FewRowsWarning)  # of models that nobody is shown
        found = judge(
            tables,
            methods,
            folds=cv,
            repeats=repeats,
            seed=seed,
            groups=group,
            order=order,
            measure=measured,
            baseline=baseline,
            n_jobs=n_jobs,
            progress=progress,
        )
    if picture is not None:
        _draw(found, picture)
    if diagram is not None:
        write_picture(diagram, _diagram(found))
    if as_json:
        write_json(found.to_json(times=times))
        return
    click.echo(found.markdown(times=times) if as_markdown else found.text(times=times))


def _check_choice(context: click.Context, schemes: tuple[str, ...], varied: dict[str, Any], *, tune: bool) -> None:
    """Refuse options that belong to the other way of comparing."""
    if varied:
        wrong = "--schemes" if schemes else "--tune" if tune else None
        if wrong is not None:
            msg = f"{wrong} compares whole schemes, and --{next(iter(varied))} variants of one; expected one of them"
            raise click.UsageError(msg, context)
        return
    typed = click.core.ParameterSource.COMMANDLINE
    for parameter in context.command.get_params(context):
        name = str(parameter.name)
        of_scheme = name == "scheme_name" or name.startswith(PREFIX)
        if of_scheme and context.get_parameter_source(name) is typed:
            option = max(parameter.opts, key=len)
            msg = (
                f"{option} is for variants of a scheme, with --prune or --criterion; whole schemes: --schemes NAME,NAME"
            )
            raise click.UsageError(msg, context)


def _check_pictures(picture: str | None, diagram: str | None, n_sources: int) -> None:
    """Fail before the long work where pictures could not be drawn or written after it."""
    from hornbeam.cli.output import check_picture

    if picture is not None:
        _ask_for_charts(picture)
    if diagram is None:
        return
    check_picture("--save-diagram", diagram)
    if n_sources < LEAST_TABLES:
        msg = "--save-diagram draws ranks over several tables, and one DATA was given; expected two or more"
        raise ValueError(msg)


def _diagram(found: Comparison) -> str:
    if found.ranking is None:
        msg = "there are no ranks to draw: fewer than two tables on which every method could be judged"
        raise ValueError(msg)
    return found.ranking.svg(title=f"{found.measure[0].upper()}{found.measure[1:]} of {len(found.methods)} methods")


def _listed(words: tuple[str, ...]) -> list[str]:
    """Names that stand between commas."""
    return [name.strip() for word in words for name in word.split(",") if name.strip()]


def _values(words: tuple[str, ...]) -> list[str | None] | None:
    """What an option names: None for everything, an empty list where it was not given."""
    names = _listed(words)
    if ALL in names:
        return None
    return [None if name == NONE else name for name in dict.fromkeys(names)]


def _tables(
    sources: tuple[str, ...], target: str | None, only: Predicts | None, reading: dict[str, Any], *, quiet: bool
) -> tuple[list[Table], Predicts]:
    """Read the tables, all of one kind of target, and say what was left out."""
    from hornbeam.cli.output import remark
    from hornbeam.data.schema import Nominal

    kept: list[Table] = []
    kinds: dict[Predicts, str] = {}
    for source in sources:
        table, said = with_target(read_table(source, target, **reading), target)
        kind: Predicts = "category" if isinstance(table.schema.target_column, Nominal) else "number"
        if only not in (None, kind):
            if not quiet:
                remark(f"{source} is left out: its target holds {'numbers' if kind == 'number' else 'categories'}")
            continue
        if said is not None and not quiet and len(sources) == 1:
            remark(said)
        kinds[kind] = source
        kept.append(table)
    if not kept:
        msg = "every DATA was left out by --only; there is nothing to compare methods on"
        raise ValueError(msg)
    if len(kinds) > 1:
        msg = (
            f"the target of {kinds['category']} holds categories and that of {kinds['number']} numbers; expected one "
            "kind: --only categories or --only numbers leaves out the others"
        )
        raise ValueError(msg)
    return kept, next(iter(kinds))


def _ask_for_charts(picture: str) -> None:
    """Fail before the long work where the picture could not be drawn or written after it."""
    from hornbeam.show import plot

    plot.ready(picture)


def _draw(found: Comparison, path: str) -> None:
    from hornbeam.show import plot

    plot.save(found.chart(), path)
