"""`hornbeam report`: one file to hand on, about a table and the model that it is best read by."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.judging import judging_options, target_option
from hornbeam.cli.reading import read_table, reading_options, with_target
from hornbeam.cli.scheme_options import PREFIX, SchemeCommand, chosen
from hornbeam.schemes import NAMES, find

if TYPE_CHECKING:
    from hornbeam.report.result import Form

DEFAULT_FILE = "report.html"


class ReportCommand(SchemeCommand):
    """Takes the options of the scheme that the report is to be about, where one is named."""

    default_scheme = ""
    left_out = frozenset({"n_jobs", "random_state", "keep_trace", "keep_alternatives"})


@click.command(cls=ReportCommand, short_help="Write a report on a table: one HTML file that needs nothing else.")
@click.argument("source", metavar="DATA")
@target_option
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help=f"Where to: .html, .md or .json. [default: {DEFAULT_FILE}; with --markdown or --json, the terminal]",
)
@click.option(
    "--schemes",
    "scheme_names",
    multiple=True,
    metavar="NAME,NAME",
    help="Schemes to compare, beside the baseline; see hornbeam schemes. [default: a few that make readable models]",
)
@click.option(
    "-s",
    "--scheme",
    type=click.Choice(NAMES, case_sensitive=False),
    help="The model to report on. [default: the simplest readable one within one standard error of the best]",
)
@judging_options
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    metavar="ROWS",
    help="Rows shown, to be traced through the model; 0: no row of the data stands in the report.",
)
@click.option("--markdown", "as_markdown", is_flag=True, help="Write Markdown.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@reading_options
@click.pass_context
def report(
    context: click.Context,
    /,
    source: str,
    target: str | None,
    output: str | None,
    scheme_names: tuple[str, ...],
    scheme: str | None,
    cv: int,
    repeats: int,
    seed: int,
    examples: int,
    n_jobs: int,
    as_markdown: bool,
    as_json: bool,
    **options: Any,  # noqa: ANN401 - for reading, and of the scheme
) -> None:
    """Write a report on DATA: one file to hand on, which needs no network.

    It describes the data, compares schemes by cross-validation, draws and lists the one chosen, answers what-if
    questions, tells where it errs, and how to get the same report again. With --scheme, the options of that scheme can
    be given.
    """
    from hornbeam.cli.output import check_folder, progress_bar, remark, write_json
    from hornbeam.data.schema import Nominal
    from hornbeam.learn.linear.few_rows import FewRowsWarning
    from hornbeam.report import build
    from hornbeam.report.result import form_of

    if as_json and as_markdown:
        msg = "--json and --markdown were given; expected one of them"
        raise ValueError(msg)
    asked: Form | None = "markdown" if as_markdown else "json" if as_json else None
    place = output or (None if asked else DEFAULT_FILE)
    form: Form = asked or form_of(place or DEFAULT_FILE)
    if place is not None:
        check_folder("--output", place)
    reading = {name: value for name, value in options.items() if not name.startswith(PREFIX)}
    table, said = with_target(read_table(source, target, **reading), target)
    given: dict[str, Any] = {}
    if scheme is not None:
        nominal = isinstance(table.schema.target_column, Nominal)
        given = chosen(find(scheme.lower(), "category" if nominal else "number"), context)
    if said is not None and place is not None:
        remark(said)
    names = [name.strip() for words in scheme_names for name in words.split(",") if name.strip()]
    with warnings.catch_warnings(), progress_bar("report", shown=not as_json) as progress:
        warnings.simplefilter("ignore", FewRowsWarning)  # of the models in folds; held-out rows judge them
        made = build(
            table,
            schemes=names or None,
            scheme=scheme.lower() if scheme else None,
            parameters=given,
            folds=cv,
            repeats=repeats,
            seed=seed,
            examples=examples,
            source=source,
            reading=[*typed(reading), *typed_of_scheme(context)],
            n_jobs=n_jobs,
            progress=progress,
        )
    if place is None:
        write_json(made.to_json()) if form == "json" else click.echo(made.markdown(), nl=False)
        return
    made.save(place, form)
    from hornbeam.show.texts.wording import printable

    for name, value, note in made.cards():
        click.echo(printable(f"{name}: {value}" + (f" ({note})" if note else "")))
    click.echo(printable(made.choice.reason))
    click.echo(f"written to {printable(place)}")


def typed(reading: dict[str, Any]) -> list[str]:
    """Give the options for reading as they were typed."""
    words: list[str] = []
    for name, value in reading.items():
        for one in value if isinstance(value, tuple) else [value] if value is not None else []:
            words += [f"--{name}", str(one)]
    return words


def typed_of_scheme(context: click.Context) -> list[str]:
    """Give the options of the scheme as they were typed."""
    words: list[str] = []
    for option in context.command.get_params(context):
        value = context.params.get(option.name or "")
        if not str(option.name).startswith(PREFIX) or value is None or value == ():
            continue
        if value is False:
            words.append(option.secondary_opts[0])
            continue
        for one in value if option.multiple else [value]:
            words += [option.opts[0], *(() if one is True else map(str, one) if isinstance(one, tuple) else [str(one)])]
    return words
