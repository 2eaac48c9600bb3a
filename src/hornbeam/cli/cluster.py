"""`hornbeam cluster`: find clusters of similar rows, describe them, and compare them with known classes."""

from __future__ import annotations

import time
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.cluster_views import Views, explanation_lines, explanation_plain, view_options, warn_of_odd_rows
from hornbeam.cli.options import (
    OptionGroup,
    count_option,
    file_option,
    fitted,
    json_option,
    refuse_without,
    seed_option,
)
from hornbeam.cli.reading import print_about, read_table, table_options
from hornbeam.cli.scheme_options import SchemeCommand, chosen, scheme_option, typed, typed_of_scheme
from hornbeam.schemes.clusters import CLUSTER_NAMES

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.schemes.scheme import Scheme

AUTO = "auto"
NUMBERS = ("n_clusters", "n_components")  # the parameter that -k sets, depending on the scheme


class ClusterCommand(SchemeCommand):
    """A command with the options of a clustering scheme."""

    default_scheme = "k-means"
    left_out = frozenset(NUMBERS)


restart_options = OptionGroup(
    count_option(
        "--restarts",
        "N",
        "Report how N runs from different starts (orders of rows, for cobweb) end, instead of one clustering.",
    ),
    file_option("--restarts-picture", help="Draw how the runs end (.svg)."),
)


class NumberType(click.ParamType[Any]):
    """A number of clusters, or ``auto``."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Convert the value."""
        if value == AUTO or isinstance(value, int):
            return value
        try:
            return int(value)
        except ValueError:
            return self.fail(f"{value!r} is neither a whole number nor {AUTO}", param, ctx)


@click.command(cls=ClusterCommand, short_help="Find clusters of similar rows.")
@click.argument("source", metavar="DATA")
@scheme_option(CLUSTER_NAMES, ClusterCommand.default_scheme, "The clustering algorithm; see hornbeam schemes.")
@click.option("-k", "--clusters", type=NumberType(), metavar="K|auto", help="Number of clusters. [default: auto]")
@click.option(
    "-t",
    "--target",
    metavar="COLUMN",
    help="Classes to compare with; not used for clustering. [default: the example's own]",
)
@click.option("--names", metavar="COLUMN", help="COBWEB: names of the rows, shown at the leaves; not a feature.")
@seed_option
@file_option("--save", help="Write the model to this file.")
@file_option("--report", help="Write a report to this file: .html, .md or .json.")
@click.option("--labels", is_flag=True, help="Write the cluster of every row, and nothing else.")
@json_option
@view_options
@restart_options
@table_options
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
    """Find clusters of the rows of DATA, describe each, and compare them with classes.

    DATA is a file (CSV, Excel, JSON, Parquet), - for standard input, or the name of an example set. A target column
    is not used for clustering. The last options belong to the scheme: add --scheme NAME to --help to see those of
    another.
    """
    from hornbeam.cli.output import progress_bar, write_json
    from hornbeam.schemes import find

    scheme = find(scheme_name)
    views, restarts = Views.split_off(options), restart_options.split_off(options)
    _check(scheme.name, views, restarts, names=names, save=save, labels=labels)
    if report is not None:
        _check_report(report)
    reading = table_options.split_off(options)
    table = read_table(source, target, **reading)
    quiet = as_json or labels
    print_about(table, quiet=quiet)
    estimator = scheme.load()(**_parameters(context, scheme, clusters, seed))
    if restarts["restarts"] is not None:
        _restart(estimator, table, restarts, seed=seed, theme=views.theme or "auto", as_json=as_json)
        return
    started = time.perf_counter()
    with progress_bar(f"finding clusters of {table.n_rows} rows", shown=not quiet):
        estimator.fit(table, **({} if names is None else {"names": names}))
    seconds = time.perf_counter() - started
    warn_of_odd_rows(table, estimator)
    if save:
        estimator.save(save)
    views.draw(estimator, table)
    if report is not None:
        words = ["--scheme", scheme.name, "--seed", str(seed)]
        for flag, value in (("-k", clusters), ("--target", target), ("--names", names)):
            words += [] if value is None else [flag, str(value)]
        _write_report(report, estimator, table, source, [*words, *typed(reading), *typed_of_scheme(context)])
    compared = _compare(estimator, table)
    small = views.explanation(estimator, table, seed, shown=not quiet)
    if as_json:
        write_json(_plain(scheme.name, estimator, compared, small, seconds))
    elif labels:
        click.echo("\n".join(map(str, estimator.labels_.tolist())))
    else:
        lines = [views.text(estimator)]
        lines += [] if compared is None else _comparison(table.schema.target_column.name, compared)
        lines += [] if small is None else explanation_lines(small)
        click.echo(fitted("\n".join(lines)))


def _check(
    scheme: str, views: Views, restarts: dict[str, Any], *, names: str | None, save: str | None, labels: bool
) -> None:
    """Check, before a long computation, that the options can be used."""
    from hornbeam.cli.output import check_picture

    path, many = restarts["restarts_picture"], restarts["restarts"] is not None
    views.check(scheme, restarts=many, restarts_drawn=path is not None)
    refuse_without("restarts", restarts, ("restarts_picture",))
    if many and (save or labels):
        one = "--save" if save else "--labels"
        msg = f"--restarts reports on many runs, and {one} is for one; leave out one of them"
        raise ValueError(msg)
    if path is not None:
        check_picture("--restarts-picture", path)
    if names is not None and scheme != "cobweb":
        msg = f"--names is for --scheme cobweb, which lists the rows of its leaves, not for {scheme}"
        raise ValueError(msg)


def _restart(
    estimator: Any,  # noqa: ANN401 - any estimator of clusters
    table: Table,
    given: dict[str, Any],
    *,
    seed: int,
    theme: str,
    as_json: bool,
) -> None:
    """Run from several starts, and print and draw the results."""
    from hornbeam.cli.output import progress_bar, write_json, write_picture
    from hornbeam.evaluate import restarts

    jobs = getattr(estimator, "n_jobs", None)
    with progress_bar("restarts", shown=not as_json) as progress:
        runs = restarts(estimator, table, given["restarts"], random_state=seed, n_jobs=jobs, progress=progress)
    if given["restarts_picture"] is not None:
        write_picture(given["restarts_picture"], runs.svg(theme))
    if as_json:
        write_json(runs.to_json())
    else:
        click.echo(runs.text())


def _compare(estimator: Any, table: Table) -> Any:  # noqa: ANN401 - ClassesToClusters
    """Compare the clusters with the classes, if the target has classes."""
    from hornbeam.data.schema import Nominal

    if table.schema.target is None or not isinstance(table.schema.target_column, Nominal):
        return None
    return estimator.classes_to_clusters(table, labels=estimator.labels_)


def _check_report(path: str) -> None:
    """Check, before a long computation, that the report can be written."""
    from hornbeam.cli.output import check_folder
    from hornbeam.report.result import form_of

    form_of(path)
    check_folder("--report", path)


def _write_report(path: str, estimator: Any, table: Table, source: str, words: list[str]) -> None:  # noqa: ANN401 - any estimator of clusters
    """Write the report; its command names the files without their folders."""
    import shlex

    from hornbeam.report import report_clusters

    data = PurePath(source.replace("\\", "/")).name
    command = shlex.join(["hornbeam", "cluster", data, *words, "--report", PurePath(path).name])
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
        columns = [estimator.model_.distributions(number) for number in range(estimator.model_.n_clusters)]
        result["distributions"] = [[asdict(one) for one in component] for component in columns]
    if compared is not None:
        result["classes"] = {
            "names": list(compared.classes),
            "counts": compared.counts.tolist(),
            "assigned": compared.assigned.tolist(),
            "wrong": compared.wrong,
            "purity": compared.purity,
            "adjusted_rand": compared.adjusted_rand,
        }
    if small is not None:
        result["explanation"] = explanation_plain(small)
    return result


def _comparison(target: str, compared: Any) -> list[str]:  # noqa: ANN401 - ClassesToClusters
    from hornbeam.data.in_words import percent
    from hornbeam.show.texts.wording import NAME_LIMIT, printable

    names = [printable(name, NAME_LIMIT) for name in compared.classes]
    wanted = [names[code] if code >= 0 else "-" for code in compared.assigned]
    rows = [[f"{count:g}" for count in row] for row in compared.counts]
    widths = [max(len(name), *(len(row[index]) for row in rows)) for index, name in enumerate(names)]
    lines = ["", f"classes to clusters ({printable(target, NAME_LIMIT)} was not used for clustering):"]
    lines.append("  cluster  " + "  ".join(name.rjust(width) for name, width in zip(names, widths, strict=True)))
    for number, row in enumerate(rows):
        cells = "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        lines.append(f"  {str(number).rjust(7)}  {cells}  {wanted[number]}")
    wrong = f"{percent(compared.wrong)} of the rows are not of the class of their cluster"
    agreed = f"adjusted Rand index {compared.adjusted_rand:.3f}"
    unmatched = ", and a cluster without a class (-) counts as wrong" if (compared.assigned < 0).any() else ""
    return [
        *lines,
        f"{wrong}; each class is matched with at most one cluster{unmatched}",
        f"purity {percent(compared.purity)} (rows of the most frequent class of their cluster); {agreed}",
    ]
