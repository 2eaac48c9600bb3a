"""``learn --engine`` and ``predict -o FOLDER``: data that may be larger than memory."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.options import is_given, remark
from hornbeam.cli.reading import scan_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hornbeam.scale.source import Source

# the other options of `learn` that mean something for data that is not in memory
ALLOWED = frozenset(
    ("source", "target", "scheme_name", "seed", "save", "as_json", "style", "hints", "nominal", "ignore", "delimiter")
)


def check_engine(context: click.Context, target: str | None) -> None:
    """Refuse options that have no meaning for data that is not in memory."""
    from hornbeam.cli.scheme_options import PREFIX

    if target is None:
        raise click.UsageError("--engine needs --target COLUMN", context)
    for parameter in context.command.params:
        name = str(parameter.name)
        known = name in ALLOWED or name in scan_options.names or name.startswith(PREFIX)
        if not known and parameter.expose_value and is_given(context, name):
            flag = max(parameter.opts, key=len)
            raise click.UsageError(f"{flag} does not go with --engine; leave one of them out", context)


@contextmanager
def scanned(source: str, target: str | None, scaled: dict[str, Any], reading: dict[str, Any]) -> Iterator[Source]:
    """The source that was asked for; what is done is printed on the error stream."""
    from hornbeam.scale.source import scan

    found = scan(
        source,
        target=target,
        ignore=reading["ignore"],
        nominal=reading["nominal"],
        separator=reading["delimiter"],
        engine=scaled["engine"] or "local",
        workers=scaled["workers"],
        memory_mb=scaled["memory_mb"],
    )
    logger, handler = logging.getLogger("hornbeam.scale"), _Remarks()
    logger.addHandler(handler)
    before = logger.level
    logger.setLevel(logging.INFO)
    try:
        yield found
    finally:
        found.close()
        logger.removeHandler(handler)
        logger.setLevel(before)


class _Remarks(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        remark(record.getMessage())


def learn_scanned(estimator: Any, source: Source, *, save: str | None, as_json: bool, style: str | None) -> None:  # noqa: ANN401 - any estimator
    """Learn, print and save a model."""
    import time

    from hornbeam import show
    from hornbeam.cli.output import tree_style, write_json
    from hornbeam.model.trees.training import training_error

    started = time.perf_counter()
    estimator.fit(source)
    seconds = time.perf_counter() - started
    if save is not None:
        estimator.save(save)
    figures = training_error(estimator.model_)
    if as_json:
        write_json(
            {
                "rows": int(figures.weight),
                "partitions": len(source.keys),
                "engine": source.engine,
                "leaves": estimator.model_.n_leaves,
                "training_errors": figures.error,
                "seconds": seconds,
                "model": show.text(estimator),
            }
        )
        return
    click.echo(show.text(estimator, style=tree_style(style)))
    right = 1.0 - figures.error / figures.weight
    click.echo(f"\n{int(figures.weight)} training rows, {right:.2%} right; learned in {seconds:.1f} s")


def predict_folder(model: Any, source: str, output: str, *, proba: bool, reading: dict[str, Any]) -> None:  # noqa: ANN401 - any model
    """Predict the rows of all files, each partition into a file of its own."""
    from hornbeam.data.in_words import percent, plural
    from hornbeam.scale.predict import predict_parts

    with scanned(source, None, {"engine": "local", "workers": None, "memory_mb": None}, reading) as rows:
        done = predict_parts(rows, model, output, proba=proba)
        remark(f"{plural(done.rows, 'row')} written to {plural(len(rows.keys), 'file')} in {output}")
        if done.known:
            remark(f"{done.right} of {plural(done.known, 'row')} right, {percent(done.right / done.known)}")
