"""`hornbeam report`: a report on a table and its best readable model, as one file."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.options import (
    OptionGroup,
    count_option,
    cross_validation_options,
    file_option,
    fold_options,
    json_option,
    markdown_option,
    names_in,
    refuse_both,
    target_option,
)
from hornbeam.cli.reading import grouped, in_time, print_about, read_table, table_options, with_target
from hornbeam.cli.scheme_options import SchemeCommand, chosen, predicts_of, typed, typed_of_scheme
from hornbeam.schemes import NAMES, find

if TYPE_CHECKING:
    from hornbeam.report.result import Form, Report

DEFAULT_FILE = "report.html"

about_options = OptionGroup(
    click.option("--title", metavar="TEXT", help="The title. [default: the names of the table and the target]"),
    click.option("--author", metavar="TEXT", help="Who made the report."),
    click.option(
        "--date", metavar="TEXT", help="The date of the report. [default: none: the same data, the same report]"
    ),
    click.option("--notes", metavar="TEXT", help="Notes for the reader, at the top; empty lines separate paragraphs."),
    click.option("--intended-use", metavar="TEXT", help="What the model is for, for the model card."),
)


class ReportCommand(SchemeCommand):
    """A command with the options of the scheme to report on, if one is named."""

    default_scheme = ""
    left_out = frozenset({"n_jobs", "device", "random_state", "keep_trace", "keep_alternatives"})


@click.command(cls=ReportCommand, short_help="Write a report on a table: one self-contained HTML file.")
@click.argument("source", metavar="DATA")
@target_option
@file_option(
    "-o",
    "--output",
    help=f"The file to write: .html, .md or .json. [default: {DEFAULT_FILE}; with --markdown or --json, the terminal]",
)
@click.option(
    "--schemes",
    "scheme_names",
    multiple=True,
    metavar="NAME,NAME",
    help="Schemes to compare with the baseline; see hornbeam schemes. [default: a few with readable models]",
)
@click.option(
    "-s",
    "--scheme",
    type=click.Choice(NAMES, case_sensitive=False),
    help="The model to report on. [default: the simplest readable one that is about as good as the best]",
)
@count_option(
    "--max-size", "NUMBER", "Maximum number of leaves, rules or terms, unless --scheme names a scheme.", default=30
)
@cross_validation_options
@fold_options
@count_option(
    "--examples",
    "ROWS",
    "Number of rows to show with their path through the model; 0: the report contains no rows.",
    least=0,
    default=20,
)
@about_options
@markdown_option
@json_option
@table_options
@click.pass_context
def report(
    context: click.Context,
    /,
    source: str,
    target: str | None,
    output: str | None,
    scheme_names: tuple[str, ...],
    scheme: str | None,
    max_size: int,
    examples: int,
    as_markdown: bool,
    as_json: bool,
    **options: Any,  # noqa: ANN401 - for reading, and of the scheme
) -> None:
    """Write a report on DATA: one self-contained file, which needs no network.

    It starts with a summary and alerts, describes the data, compares schemes by cross-validation, draws the chosen
    model with a what-if form, shows which columns matter, how good the model is and where it is wrong, and says how to
    reproduce the report. With --scheme, the options of that scheme can be given.
    """
    from hornbeam.cli.output import check_folder, progress_bar
    from hornbeam.learn.linear.few_rows import FewRowsWarning
    from hornbeam.report import About, build
    from hornbeam.report.result import form_of

    refuse_both(json=as_json, markdown=as_markdown)
    typed_form: Form | None = "markdown" if as_markdown else "json" if as_json else None
    path = output or (None if typed_form else DEFAULT_FILE)
    form: Form = typed_form or form_of(path or DEFAULT_FILE)
    if path is not None:
        check_folder("--output", path)
    reading, folding = table_options.split_off(options), cross_validation_options.split_off(options)
    about, by = about_options.split_off(options), fold_options.split_off(options)
    table, note = with_target(read_table(source, target, **reading), target, **reading)
    table = grouped(table, by["group"])
    folding["folds"] = in_time(folding["folds"], by["order"])
    reading |= by  # for the commands in the report
    given: dict[str, Any] = {}
    if scheme is not None:
        given = chosen(find(scheme.lower(), predicts_of(table.schema.target_column)), context)
    print_about(table, note, quiet=path is None)
    with warnings.catch_warnings(), progress_bar("report", shown=not as_json) as progress:
        warnings.simplefilter("ignore", FewRowsWarning)  # about the models in folds
        made = build(
            table,
            schemes=names_in(scheme_names) or None,
            scheme=scheme.lower() if scheme else None,
            parameters=given,
            max_size=max_size,
            examples=examples,
            about=About(**about, source=source, reading=[*typed(reading), *typed_of_scheme(context)]),
            progress=progress,
            **folding,
        )
    _write(made, path, form)


def _write(made: Report, path: str | None, form: Form) -> None:
    """Write the report to the terminal, or to a file with a summary on the terminal."""
    from hornbeam.cli.options import fitted
    from hornbeam.cli.output import warn, write_json
    from hornbeam.data.in_words import printable

    if path is None:
        write_json(made.to_json()) if form == "json" else click.echo(made.markdown(), nl=False)
        return
    made.save(path, form)
    for name, value, note in made.cards():
        click.echo(fitted(printable(f"{name}: {value}" + (f" ({note})" if note else ""))))
    for text in filter(None, (made.verdict.text, made.choice.reason, made.choice.trade)):
        click.echo(fitted(printable(text)))
    for alert in made.alerts:
        if alert.severity == "serious" and alert.message != made.verdict.text:
            warn(printable(alert.message))
    click.echo(f"written to {printable(path)}")
