"""`hornbeam compare`: compare schemes, pruning methods or criteria on the same folds of one or several tables."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.options import (
    MEASURES,
    cross_validation_options,
    file_option,
    group_option,
    json_option,
    markdown_option,
    measure_of,
    names_in,
    order_option,
    refuse_both,
    target_option,
    tune_folds_option,
)
from hornbeam.cli.reading import print_about, read_table, table_options, with_target
from hornbeam.cli.scheme_options import NONE, OTHER_NAMES, PREFIX, SchemeCommand, chosen, predicts_of, scheme_option
from hornbeam.schemes import NAMES, USUAL, find

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.evaluate import Comparison
    from hornbeam.schemes import Predicts

ALL = "all"
VARIED = ("prune", "criterion")  # parameters with several values to compare
KINDS: dict[str, Predicts] = {"categories": "category", "numbers": "number"}
LEAST_TABLES = 2  # minimum number of tables for ranks


class CompareCommand(SchemeCommand):
    """A command with the options of a scheme, except those that it compares."""

    default_scheme = "tree"
    left_out = frozenset({*VARIED, "n_jobs", "device", "random_state", "keep_alternatives"})


@click.command(cls=CompareCommand, short_help="Compare schemes, pruning methods or criteria on the same folds.")
@click.argument("sources", metavar="DATA...", nargs=-1, required=True)
@click.option(
    "--schemes",
    multiple=True,
    metavar="NAME,NAME",
    help="Schemes to compare, with a baseline that uses no column; all: those that fit the target.  "
    f"[default: {', '.join(USUAL['category'])}; for numbers {', '.join(USUAL['number'])}]",
)
@click.option(
    "--prune",
    multiple=True,
    metavar="NAME,NAME",
    help="Pruning methods to compare (none: no pruning), or all.",
)
@click.option("--criterion", multiple=True, metavar="NAME,NAME", help="Criteria to compare; or all.")
@target_option
@scheme_option(
    NAMES,
    CompareCommand.default_scheme,
    "The scheme to vary, with --prune or --criterion; see hornbeam schemes.",
)
@click.option(
    "--measure",
    type=click.Choice(list(MEASURES), case_sensitive=False),
    help="The metric to test and rank methods by.  [default: accuracy; for numbers root-mean-squared-error]",
)
@cross_validation_options
@group_option
@order_option
@click.option(
    "--tune",
    is_flag=True,
    help="With --schemes: tune two parameters of each scheme in every fold, on its training rows.",
)
@tune_folds_option
@click.option("--baseline", metavar="METHOD", help="Test the others against this one.  [default: the first]")
@click.option("--only", type=click.Choice(list(KINDS)), help="Skip DATA whose target is of the other kind.")
@click.option("--times", is_flag=True, help="Report how long learning and predicting took (wall-clock time).")
@json_option
@markdown_option
@file_option("--save-picture", "picture", help="Draw size against accuracy (.png, .svg or .pdf); needs matplotlib.")
@file_option(
    "--save-diagram", "diagram", help="Draw average ranks over several DATA with the critical difference (.svg)."
)
@table_options
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
    group: str | None,
    order: str | None,
    tune: bool,
    tune_folds: int,
    baseline: str | None,
    only: str | None,
    times: bool,
    as_json: bool,
    as_markdown: bool,
    picture: str | None,
    diagram: str | None,
    **options: Any,  # noqa: ANN401 - for reading, and of the scheme
) -> None:
    """Compare methods on DATA: their scores and sizes, with tests of whether they differ.

    Each method is evaluated by cross-validation on the same folds; pruning and tuning use only the training rows of a
    fold. Give --schemes c45,ripper,forest; or for one scheme --prune all, --criterion all, or some by name: --prune
    none,pessimistic. With several DATA, methods are also ranked over them. The last options belong to --scheme and
    apply to all its variants.
    """
    from hornbeam.cli.output import progress_bar
    from hornbeam.evaluate.comparing.compare import compare as judge
    from hornbeam.evaluate.comparing.methods import schemes_by_name, variants
    from hornbeam.learn.linear.few_rows import FewRowsWarning

    refuse_both(json=as_json, markdown=as_markdown)
    _check_pictures(picture, diagram, len(sources))
    reading, folding = table_options.split_off(options), cross_validation_options.split_off(options)
    varied = {
        name: values for name, words in (("criterion", criterion), ("prune", prune)) if (values := _values(words)) != []
    }
    _check_choice(context, schemes, varied, tune=tune)
    measured = measure_of(measure)
    tables, predicts = _tables(sources, target, KINDS.get(only or ""), reading, order, quiet=as_json)
    if varied:
        given = chosen(find(scheme_name, predicts), context)
        methods = variants(scheme_name.lower(), varied, predicts=predicts, **given)
    else:
        names = names_in(schemes) or None
        methods = schemes_by_name(names, predicts, tune=tune, tune_folds=tune_folds, tune_by=measured)
    with warnings.catch_warnings(), progress_bar("cross-validation", shown=not as_json) as progress:
        warnings.simplefilter("ignore", FewRowsWarning)  # about models that are not shown
        comparison = judge(
            methods,
            tables,
            groups=group,
            order=order,
            measure=measured,
            baseline=baseline,
            progress=progress,
            **folding,
        )
    _draw(comparison, picture, diagram)
    _print(comparison, tables, times=times, as_json=as_json, as_markdown=as_markdown)


def _print(comparison: Comparison, tables: list[Table], *, times: bool, as_json: bool, as_markdown: bool) -> None:
    """Print the comparison and the verdict."""
    from hornbeam.cli.output import show_verdict, text_width, write_json
    from hornbeam.evaluate.comparing.comparison_text import ROOM
    from hornbeam.evaluate.verdicts.verdict import verdict
    from hornbeam.show.texts.columns import plain

    conclusion = verdict(comparison, doubts=_doubts(tables, comparison.order))
    if as_json:
        write_json(comparison.to_json(times=times) | {"verdict": conclusion.to_json()})
    elif as_markdown:
        click.echo(f"{comparison.markdown(times=times)}\n\n**Verdict:** {plain(conclusion.text)}")
    else:
        click.echo(comparison.text(times=times, room=text_width() if sys.stdout.isatty() else ROOM))
        show_verdict(conclusion)


def _doubts(tables: list[Table], order: str | None) -> list[str]:
    """Return reasons not to trust the scores, from the findings about the only table."""
    from hornbeam.data.notices import findings_of
    from hornbeam.evaluate.verdicts.doubts import doubts_of

    return doubts_of(findings_of(tables[0], order)) if len(tables) == 1 else []


def _check_choice(context: click.Context, schemes: tuple[str, ...], varied: dict[str, Any], *, tune: bool) -> None:
    """Raise an error for options of the other kind of comparison."""
    if varied:
        wrong = "--schemes" if schemes else "--tune" if tune else None
        if wrong is not None:
            msg = f"{wrong} compares schemes, and --{next(iter(varied))} variants of one scheme; expected one of them"
            raise click.UsageError(msg, context)
        return
    typed = click.core.ParameterSource.COMMANDLINE
    for parameter in context.command.get_params(context):
        name = str(parameter.name)
        of_scheme = name == "scheme_name" or name.startswith(PREFIX)
        if of_scheme and context.get_parameter_source(name) is typed:
            option = max(parameter.opts, key=len)
            hint = f"; for cross-validation use {OTHER_NAMES[option]}" if option in OTHER_NAMES else ""
            msg = (
                f"{option} is for variants of a scheme, with --prune or --criterion; to compare schemes use "
                f"--schemes NAME,NAME{hint}"
            )
            raise click.UsageError(msg, context)


def _check_pictures(picture: str | None, diagram: str | None, n_sources: int) -> None:
    """Check, before a long computation, that the pictures can be drawn and written."""
    from hornbeam.cli.output import check_picture

    if picture is not None:
        from hornbeam.show import plot

        plot.ready(picture)
    if diagram is None:
        return
    check_picture("--save-diagram", diagram)
    if n_sources < LEAST_TABLES:
        msg = "--save-diagram draws ranks over several tables, and one DATA was given; expected two or more"
        raise ValueError(msg)


def _draw(comparison: Comparison, picture: str | None, diagram: str | None) -> None:
    """Draw the chart and the diagram of ranks, if requested."""
    if picture is not None:
        from hornbeam.show import plot

        plot.save(comparison.chart(), picture)
    if diagram is not None:
        from hornbeam.cli.output import write_picture

        if comparison.ranking is None:
            msg = "there are no ranks to draw: fewer than two tables on which every method could be evaluated"
            raise ValueError(msg)
        title = f"{comparison.measure[0].upper()}{comparison.measure[1:]} of {len(comparison.methods)} methods"
        write_picture(diagram, comparison.ranking.svg(title=title))


def _values(words: tuple[str, ...]) -> list[str | None] | None:
    """Return the values of an option: None for all of them, an empty list if it was not given."""
    names = names_in(words)
    if ALL in names:
        return None
    return [None if name == NONE else name for name in dict.fromkeys(names)]


def _tables(
    sources: tuple[str, ...],
    target: str | None,
    only: Predicts | None,
    reading: dict[str, Any],
    order: str | None,
    *,
    quiet: bool,
) -> tuple[list[Table], Predicts]:
    """Read the tables, all with the same kind of target, and note which were left out."""
    from hornbeam.cli.output import remark

    kept: list[Table] = []
    kinds: dict[Predicts, str] = {}
    for source in sources:
        table, note = with_target(read_table(source, target, **reading), target, **reading)
        kind = predicts_of(table.schema.target_column)
        if only not in (None, kind):
            if not quiet:
                remark(f"{source} is left out: its target is {'numeric' if kind == 'number' else 'nominal'}")
            continue
        print_about(table, note if len(sources) == 1 else None, quiet=quiet, order=order)
        kinds[kind] = source
        kept.append(table)
    if not kept:
        msg = "--only left out every DATA; nothing is left to compare methods on"
        raise ValueError(msg)
    if len(kinds) > 1:
        msg = (
            f"the target of {kinds['category']} is nominal and that of {kinds['number']} is numeric; expected one "
            "kind: use --only categories or --only numbers to leave out the others"
        )
        raise ValueError(msg)
    return kept, next(iter(kinds))
