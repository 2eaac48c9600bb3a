"""`hornbeam compare`: ways of pruning, or criteria, judged on the same folds of one table or several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.reading import read_table, reading_options, with_target
from hornbeam.cli.scheme_options import NONE, PREFIX, SchemeCommand, chosen
from hornbeam.schemes import NAMES, find

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.evaluate import Comparison
    from hornbeam.schemes import Predicts

ALL = "all"
VARIED = ("prune", "criterion")  # parameters that may be given several values
KINDS: dict[str, Predicts] = {"categories": "category", "numbers": "number"}
DEFAULT_FOLDS = 10


class CompareCommand(SchemeCommand):
    """Takes the options of a scheme, but for those that this command gives several values."""

    default_scheme = "tree"
    left_out = frozenset({*VARIED, "n_jobs", "random_state", "keep_alternatives"})


@click.command(cls=CompareCommand, short_help="Compare ways of pruning, or criteria, on the same folds.")
@click.argument("sources", metavar="DATA...", nargs=-1, required=True)
@click.option(
    "--prune",
    multiple=True,
    metavar="NAME,NAME",
    help="Ways of pruning to compare, none for no pruning; or all.",
)
@click.option("--criterion", multiple=True, metavar="NAME,NAME", help="Criteria to compare; or all.")
@click.option(
    "-t", "--target", metavar="COLUMN", help="What to predict. [default: the example's own, or the last column]"
)
@click.option(
    "-s",
    "--scheme",
    "scheme_name",
    type=click.Choice(NAMES, case_sensitive=False),
    default=CompareCommand.default_scheme,
    show_default=True,
    help="How to learn; see hornbeam schemes.",
)
@click.option(
    "--cv",
    type=click.IntRange(min=2),
    default=DEFAULT_FOLDS,
    show_default=True,
    metavar="FOLDS",
    help="Cross-validate with this many folds.",
)
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="TIMES",
    help="Deal rows to folds anew, this many times.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Of what is drawn at random, such as folds.")
@click.option("--baseline", metavar="METHOD", help="Test the others against this one.  [default: the first]")
@click.option("--only", type=click.Choice(list(KINDS)), help="Leave out DATA whose target holds something else.")
@click.option(
    "--n-jobs", type=int, default=-1, metavar="N", help="Folds learned at the same time.  [default: -1, one a core]"
)
@click.option("--json", "as_json", is_flag=True, help="Write everything as JSON.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Write Markdown.")
@click.option(
    "--save-picture",
    "picture",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Draw size against accuracy (.png, .svg or .pdf); needs matplotlib.",
)
@reading_options
@click.pass_context
def compare(
    context: click.Context,
    /,
    sources: tuple[str, ...],
    prune: tuple[str, ...],
    criterion: tuple[str, ...],
    target: str | None,
    scheme_name: str,
    cv: int,
    repeats: int,
    seed: int,
    baseline: str | None,
    only: str | None,
    n_jobs: int,
    as_json: bool,
    as_markdown: bool,
    picture: str | None,
    **options: Any,  # noqa: ANN401 - for reading, and of the scheme
) -> None:
    """Compare methods on DATA: their accuracy (or error) and size, with tests of whether they differ.

    Each method is judged by cross-validation on the same folds, and whatever it chooses it chooses inside the training
    part. Give --prune all, or --criterion all, or some by name: --prune none,pessimistic. Several DATA are ranked over.
    The last options belong to the scheme and hold for all methods.
    """
    from hornbeam.cli.output import progress_bar, write_json
    from hornbeam.evaluate.compare import compare as judge
    from hornbeam.evaluate.methods import variants

    if as_json and as_markdown:
        msg = "--json and --markdown were given; expected one of them"
        raise ValueError(msg)
    if picture is not None:
        _ask_for_charts(picture)
    reading = {name: value for name, value in options.items() if not name.startswith(PREFIX)}
    tables, predicts = _tables(sources, target, KINDS.get(only or ""), reading, quiet=as_json)
    varied = {
        name: values for name, words in (("criterion", criterion), ("prune", prune)) if (values := _values(words)) != []
    }
    if not varied:
        msg = "say what to compare: --prune all, or --criterion all, or some by name (--prune none,pessimistic)"
        raise click.UsageError(msg, context)
    methods = variants(scheme_name.lower(), varied, predicts=predicts, **chosen(find(scheme_name, predicts), context))
    with progress_bar("cross-validation", shown=not as_json) as progress:
        found = judge(
            tables,
            methods,
            folds=cv,
            repeats=repeats,
            seed=seed,
            baseline=baseline,
            n_jobs=n_jobs,
            progress=progress,
        )
    if picture is not None:
        _draw(found, picture)
    if as_json:
        write_json(found.to_json())
        return
    click.echo(found.markdown() if as_markdown else found.text())


def _values(words: tuple[str, ...]) -> list[str | None] | None:
    """What an option names: None for everything, an empty list where it was not given."""
    names = [name.strip() for word in words for name in word.split(",") if name.strip()]
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
