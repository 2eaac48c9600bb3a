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

# the other options of `learn` that can be used for data that is not in memory
ALLOWED = frozenset(
    (
        "source",
        "target",
        "scheme_name",
        "seed",
        "save",
        "as_json",
        "style",
        "hints",
        "nominal",
        "ignore",
        "delimiter",
        "cv",
    )
)


def check_engine(context: click.Context, target: str | None) -> None:
    """Raise an error for options that cannot be used for data that is not in memory."""
    from hornbeam.cli.scheme_options import PREFIX

    if target is None:
        raise click.UsageError("--engine needs --target COLUMN", context)
    for parameter in context.command.params:
        name = str(parameter.name)
        known = name in ALLOWED or name in scan_options.names or name.startswith(PREFIX)
        if not known and parameter.expose_value and is_given(context, name):
            flag = max(parameter.opts, key=len)
            raise click.UsageError(f"{flag} cannot be used with --engine; leave one of them out", context)


@contextmanager
def scanned(source: str, target: str | None, scaled: dict[str, Any], reading: dict[str, Any]) -> Iterator[Source]:
    """Return the requested source; progress is printed on the error stream."""
    from hornbeam.scale.source import scan

    found = scan(
        source,
        target=target,
        ignore=reading["ignore"],
        nominal=reading["nominal"],
        separator=reading["delimiter"],
        table=scaled["table"],
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


def learn_scanned(
    estimator: Any,  # noqa: ANN401 - any estimator
    source: Source,
    folds: int,
    *,
    save: str | None,
    as_json: bool,
    style: str | None,
) -> None:
    """Learn, print and save a model; cross-validate it if there are folds."""
    import time

    from hornbeam import show
    from hornbeam.cli.output import tree_style, write_json
    from hornbeam.evaluate.cross_validation import cross_validate

    started = time.perf_counter()
    estimator.fit(source)
    seconds = time.perf_counter() - started
    if save is not None:
        estimator.save(save)
    described, trained = _on_training_rows(estimator, source)
    checked = cross_validate(estimator, source, folds) if folds else None
    if as_json:
        more = {} if checked is None else {"cross_validation": checked.to_json()}
        learned = {"partitions": len(source.keys), "engine": source.engine, "seconds": seconds}
        write_json({**described, **learned, **more, "model": show.text(estimator)})
        return
    is_tree = hasattr(estimator.model_, "n_children")
    click.echo(show.text(estimator, style=tree_style(style)) if is_tree else show.text(estimator))
    click.echo(f"\n{trained}; learned in {seconds:.1f} s")
    if checked is not None:
        click.echo(f"{folds}-fold cross-validation, by partitions: {checked.score!r}")


def _on_training_rows(estimator: Any, source: Source) -> tuple[dict[str, Any], str]:  # noqa: ANN401 - any estimator
    """Return how well the model predicts the training rows, as plain data and as a text."""
    from hornbeam.data.in_words import plural
    from hornbeam.data.schema import Nominal
    from hornbeam.model.trees.training import training_error
    from hornbeam.model.trees.tree import Tree

    if isinstance(estimator.model_, Tree):
        figures = training_error(estimator.model_)
        rows, mean = int(figures.weight), figures.error / figures.weight
        known = {"rows": rows, "leaves": estimator.model_.n_leaves}
        if estimator.model_.task == "classification":
            text = f"{plural(rows, 'training row')}, {1.0 - mean:.2%} right"
            return {**known, "training_errors": figures.error}, text
        return _of_numbers(rows, mean**0.5, known)
    found = source.predicted(estimator)
    rows = len(found.truth)
    if isinstance(source.schema.target_column, Nominal):
        wrong = int((found.truth != found.predictions).sum())
        text = f"{plural(rows, 'training row')}, {1 - wrong / rows:.2%} right"
        return {"rows": rows, "training_errors": wrong}, text
    return _of_numbers(rows, float(((found.truth - found.predictions) ** 2).mean() ** 0.5), {"rows": rows})


def _of_numbers(rows: int, error: float, known: dict[str, Any]) -> tuple[dict[str, Any], str]:
    from hornbeam.data.in_words import plural

    text = f"{plural(rows, 'training row')}, root mean squared error {error:.6g}"
    return {**known, "training_root_mean_squared_error": error}, text


def predict_folder(model: Any, source: str, output: str, *, proba: bool, reading: dict[str, Any]) -> None:  # noqa: ANN401 - any model
    """Predict the rows of all files, each partition into its own file."""
    from hornbeam.data.in_words import percent, plural
    from hornbeam.scale.predict import predict_parts

    with scanned(source, None, {"engine": "local", "table": None, "workers": None, "memory_mb": None}, reading) as rows:
        done = predict_parts(rows, model, output, proba=proba)
        remark(f"{plural(done.rows, 'row')} written to {plural(len(rows.keys), 'file')} in {output}")
        if done.known:
            remark(f"{done.right} of {plural(done.known, 'row')} right, {percent(done.right / done.known)}")
