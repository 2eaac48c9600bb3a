"""`hornbeam cluster`: rows that are alike, told and compared with classes that were not looked at."""

from __future__ import annotations

import time
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli import cluster_views, restarts
from hornbeam.cli.reading import read_table, reading_options
from hornbeam.cli.scheme_options import PREFIX, SchemeCommand, chosen
from hornbeam.schemes.clusters import CLUSTER_NAMES

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.schemes.scheme import Scheme

AUTO = "auto"
NUMBERS = ("n_clusters", "n_components")  # what -k sets, by the scheme


class ClusterCommand(SchemeCommand):
    """Takes the options of a scheme of clusters."""

    default_scheme = "k-means"
    left_out = frozenset(NUMBERS)


class NumberType(click.ParamType[Any]):
    """A number of clusters, or ``auto``."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Read what was typed."""
        if value == AUTO or isinstance(value, int):
            return value
        try:
            return int(value)
        except ValueError:
            return self.fail(f"{value!r} is neither a whole number nor {AUTO}", param, ctx)


@click.command(cls=ClusterCommand, short_help="Find clusters of rows that are alike.")
@click.argument("source", metavar="DATA")
@click.option(
    "-s",
    "--scheme",
    "scheme_name",
    type=click.Choice(CLUSTER_NAMES, case_sensitive=False),
    default=ClusterCommand.default_scheme,
    show_default=True,
    help="How; see hornbeam schemes.",
)
@click.option("-k", "--clusters", type=NumberType(), metavar="K|auto", help="How many clusters. [default: auto]")
@click.option(
    "-t",
    "--target",
    metavar="COLUMN",
    help="Classes to compare with, not learned from. [default: the example's own]",
)
@click.option("--names", metavar="COLUMN", help="COBWEB: names of the rows, shown at the leaves; not learned from.")
@click.option("--seed", type=int, default=1, show_default=True, help="Of what is drawn at random.")
@click.option("--save", type=click.Path(dir_okay=False), metavar="FILE", help="Write the model to this file.")
@click.option(
    "--report", type=click.Path(dir_okay=False), metavar="FILE", help="Write a report there: .html, .md or .json."
)
@click.option("--labels", is_flag=True, help="Write the cluster of every row, and nothing else.")
@click.option("--json", "as_json", is_flag=True, help="Write everything as JSON.")
@cluster_views.view_options
@restarts.restart_options
@reading_options
@click.pass_context
def cluster(
    context: click.Context,
    /,
    source: str,
    scheme_name: str,
    clusters: int | str | None,
    target: str | None,
    names: str | None,
    seed: int,
    save: str | None,
    report: str | None,
    labels: bool,
    as_json: bool,
    **options: Any,  # noqa: ANN401 - for reading, and of the scheme
) -> None:
    """Find clusters of rows of DATA, tell what each is like, and compare them with classes.

    DATA is a file (CSV, ARFF, Parquet, Feather), - for standard input, or the name of an example set. A target is left
    out of learning. The last options belong to the scheme: add --scheme NAME to --help to see those of another.
    """
    from hornbeam.cli.output import progress_bar, remark, write_json
    from hornbeam.cli.report import typed, typed_of_scheme
    from hornbeam.data.schema import Nominal
    from hornbeam.schemes import find

    scheme = find(scheme_name)
    views, wishes = cluster_views.Views.split_off(options), restarts.split_off(options)
    drawn = wishes["restarts_picture"] is not None
    views.check(scheme.name, restarts=wishes["restarts"] is not None, restarts_drawn=drawn)
    restarts.check(wishes, save=save, labels=labels)
    if names is not None and scheme.name != "cobweb":
        msg = f"--names goes with --scheme cobweb, which lists the rows of its leaves, not with {scheme.name}"
        raise ValueError(msg)
    if report is not None:
        _check_report(report)
    reading = {name: value for name, value in options.items() if not name.startswith(PREFIX)}
    table = read_table(source, target, **reading)
    quiet = as_json or labels
    for note in () if quiet else table.notes:
        remark(note)
    estimator = scheme.load()(**_parameters(context, scheme, clusters, seed))
    if wishes["restarts"] is not None:
        restarts.tell(estimator, table, wishes, seed=seed, theme=views.theme or "auto", as_json=as_json)
        return
    started = time.perf_counter()
    with progress_bar(f"finding clusters of {table.n_rows} rows", shown=not quiet):
        estimator.fit(table, **({} if names is None else {"names": names}))
    seconds = time.perf_counter() - started
    cluster_views.warn_of_odd_rows(table, estimator)
    if save:
        estimator.save(save)
    views.draw(estimator, table)
    if report is not None:
        words = [PurePath(source.replace("\\", "/")).name, "--scheme", scheme.name, "--seed", str(seed)]
        words += [] if clusters is None else ["-k", str(clusters)]
        words += [] if target is None else ["--target", target]
        words += [] if names is None else ["--names", names]
        _write_report(report, estimator, table, [*words, *typed(reading), *typed_of_scheme(context)])
    classes = table.schema.target is not None and isinstance(table.schema.target_column, Nominal)
    compared = estimator.classes_to_clusters(table, labels=estimator.labels_) if classes else None
    small = views.explanation(estimator, table, seed, shown=not quiet)
    if as_json:
        write_json(_plain(scheme.name, estimator, compared, small, seconds))
    elif labels:
        click.echo("\n".join(map(str, estimator.labels_.tolist())))
    else:
        told = [views.text(estimator)]
        told += [] if compared is None else _comparison(table.schema.target_column.name, compared)
        told += [] if small is None else cluster_views.explanation_lines(small)
        click.echo("\n".join(told))


def _check_report(path: str) -> None:
    """Refuse before the work a file that could not be written after it."""
    from hornbeam.cli.output import check_folder
    from hornbeam.report.result import form_of

    form_of(path)
    check_folder("--report", path)


def _write_report(path: str, estimator: Any, table: Table, words: list[str]) -> None:  # noqa: ANN401 - any estimator of clusters
    """Write the report; the command that it names has the file's name, not its folder."""
    import shlex

    from hornbeam.report import report_clusters

    command = shlex.join(["hornbeam", "cluster", *words, "--report", PurePath(path).name])
    report_clusters(estimator, table, command=command).save(path)


def _parameters(context: click.Context, scheme: Scheme, clusters: int | str | None, seed: int) -> dict[str, Any]:
    names = [parameter.name for parameter in scheme.parameters]
    parameters = chosen(scheme, context)
    number = next((name for name in NUMBERS if name in names), None)
    if parameters.get("height") is not None:
        if clusters is not None:
            msg = "-k and --height were given; a tree is cut by one of the two"
            raise click.UsageError(msg, context)
        parameters["n_clusters"] = None
    elif number is not None:
        parameters[number] = AUTO if clusters is None else clusters
    elif clusters is not None:
        msg = f"-k: the scheme {scheme.name} finds the number of clusters itself"
        raise click.UsageError(msg, context)
    if "random_state" in names:
        parameters.setdefault("random_state", seed)
    return parameters


def _plain(scheme: str, estimator: Any, compared: Any, small: Any, seconds: float) -> dict[str, Any]:  # noqa: ANN401 - any estimator of clusters
    from dataclasses import asdict

    from hornbeam.export.json_models import clusters_plain
    from hornbeam.model.clusters.mixture import Mixture

    result: dict[str, Any] = {
        "scheme": scheme,
        "seconds": seconds,
        **clusters_plain(estimator.model_),
        "labels": estimator.labels_.tolist(),
    }
    if isinstance(estimator.model_, Mixture):
        columns = [estimator.model_.figures(number) for number in range(estimator.model_.n_clusters)]
        result["distributions"] = [[asdict(one) for one in component] for component in columns]
    if compared is not None:
        result["classes"] = {
            "names": list(compared.classes),
            "counts": compared.counts.tolist(),
            "assigned": compared.assigned.tolist(),
            "wrong": compared.wrong,
            "adjusted_rand": compared.adjusted_rand,
        }
    if small is not None:
        result["explanation"] = cluster_views.explanation_plain(small)
    return result


def _comparison(target: str, compared: Any) -> list[str]:  # noqa: ANN401 - ClassesToClusters
    from hornbeam.data.in_words import percent
    from hornbeam.show.texts.wording import NAME_LIMIT, printable

    names = [printable(name, NAME_LIMIT) for name in compared.classes]
    wanted = [names[code] if code >= 0 else "no class" for code in compared.assigned]
    rows = [[f"{count:g}" for count in row] for row in compared.counts]
    widths = [max(len(name), *(len(row[place]) for row in rows)) for place, name in enumerate(names)]
    lines = ["", f"classes to clusters ({printable(target, NAME_LIMIT)} was not looked at):"]
    lines.append("  cluster  " + "  ".join(name.rjust(width) for name, width in zip(names, widths, strict=True)))
    for number, row in enumerate(rows):
        cells = "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        lines.append(f"  {str(number).rjust(7)}  {cells}  {wanted[number]}")
    agreed = f"adjusted Rand index {compared.adjusted_rand:.3f}"
    return [*lines, f"{percent(compared.wrong)} of the rows are not of their cluster's class; {agreed}"]
