"""The section about the models compared: which one is shown and why, and what the others would gain."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.data.in_words import percent
from hornbeam.evaluate.measures import ABOUT, MEASURES, SIZES
from hornbeam.report.baseline import against_baseline
from hornbeam.report.choice import LARGER, LOSS, gain_words, is_readable, times
from hornbeam.report.content.blocks import Folded, Grid, Section, Warned, Words, number_text
from hornbeam.report.content.model import summary_of
from hornbeam.report.markup import interval_bar
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.evaluate.comparing.comparison import Outcome
    from hornbeam.report.choice import Alternative
    from hornbeam.report.content.blocks import Block
    from hornbeam.report.result import Report


def models_section(report: Report) -> Section:
    """Show the models compared."""
    return Section("models", "The models compared", tuple(_models(report)))


def _models(report: Report) -> list[Block]:
    comparison, compared = report.comparison, report.compared
    judged = [one for one in compared.outcomes if one.score is not None]
    judged.sort(key=lambda one: _merit(one, report), reverse=True)
    names = [name for name in MEASURES[report.predicts == "category"] if any(name in one.metrics for one in judged)]
    sizes = [name for name in SIZES if any(one.has(name) for one in judged)]
    head = ("scheme", names[0], "95% interval", *(ABOUT[name].short for name in (*names[1:], *sizes)))
    rows = tuple(_outcome(one, names, sizes) for one in judged)
    chosen = tuple(index for index, one in enumerate(judged) if one.method == report.choice.scheme)
    every = Grid("The schemes, best first: means over the folds", head, rows, tuple(range(1, len(head))), marked=chosen)
    problems = tuple(f"{one.method} could not learn: {one.problem}" for one in compared.outcomes if one.problem)
    summaries = [
        f"{name}: {summary_of(report, name)}"
        for name in comparison.methods
        if is_readable(name, report.predicts) or name == report.choice.scheme
    ]
    blocks: list[Block] = [
        Words(f"{_reason(report)} {against_baseline(report)}".strip()),
        *([Words(report.choice.trade)] if report.choice.trade else []),
        _choices(report, judged, chosen),
    ]
    if problems:
        blocks.append(Warned(problems))
    return [
        *blocks,
        Words(_method_text(report)),
        Folded("Every measure of every scheme", (every,)),
        Folded("Descriptions of the schemes", tuple(map(Words, summaries))),
    ]


def _choices(report: Report, judged: Sequence[Outcome], chosen: tuple[int, ...]) -> Grid:
    """Show the schemes as a choice: size, score, and what each would gain over the model shown."""
    measure, higher = report.comparison.measure, report.comparison.higher_is_better
    others = {one.scheme: one for one in report.choice.alternatives}
    ends = [_ends(one) for one in judged]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    rows, pictures = [], []
    for one, interval in zip(judged, ends, strict=True):
        assert one.score is not None
        other = others.get(one.method)
        size = report.size if other is None else other.size
        text = "the model shown" if other is None else _compared(other, points=higher)
        rows.append((one.method, _measure(measure, one.score.mean), "-" if size is None else str(size), text))
        shown = f"{_measure(measure, one.score.mean)} ({' to '.join(_measure(measure, end) for end in interval)})"
        pictures.append(interval_bar(one.score.mean, interval, (low, high), shown))
    return Grid(
        f"A choice of models, best first: {measure} ({'higher' if higher else 'lower'} is better) of held-out rows "
        "with its 95% interval, and the size of the model learned from all rows",
        ("scheme", ABOUT[measure].short, "size", "compared with the model shown"),
        tuple(rows),
        (1, 2),
        marked=chosen,
        pictures=tuple(pictures),
        picture_head="interval",
    )


def _compared(other: Alternative, *, points: bool) -> str:
    """Say how much better or worse, and how much larger or smaller a model is than the one shown."""
    apart = gain_words(other.gain, points=points)
    text = "the same score" if apart.startswith("0.0") else f"{apart} {'better' if other.gain > 0 else 'worse'}"
    if other.ratio is None:
        return text
    if other.ratio >= LARGER:
        return f"{text}, {times(other.ratio)} larger"
    return f"{text}, {times(1 / other.ratio)} smaller" if 0 < other.ratio <= 1 / LARGER else text


def _method_text(report: Report) -> str:
    """Describe how the schemes were compared."""
    repeats = report.comparison.repeats
    text = (
        f"Every scheme was evaluated by {report.compared.folds}-fold cross-validation"
        f"{f', repeated {repeats} times' if repeats > 1 else ''}, all on the same folds: each row was predicted by a "
        "model that had not seen it. Intervals (95%) allow for folds that share training rows."
    )
    if report.comparison.groups is not None:
        text += f" Rows of one {printable(report.comparison.groups)} are never in two folds."
    if report.comparison.order is not None:
        order = printable(report.comparison.order)
        text += f" Every fold learns from earlier rows (by {order}) and is tested on later ones."
    if report.left_out:
        names = ", ".join(report.left_out)
        text += f" Left out, since they take long for this many rows: {names}; use --schemes to compare them."
    return text


def _reason(report: Report) -> str:
    """Say why the model was chosen, and what scores count as about equal."""
    choice, comparison = report.choice, report.comparison
    if choice.limit is None:
        return choice.reason
    word = "at least" if comparison.higher_is_better else "at most"
    loss = "one point" if comparison.higher_is_better else f"{percent(LOSS, 0)} of the error"
    return (
        f"{choice.reason} About as good means {word} {_measure(comparison.measure, choice.limit)}: within one standard "
        f"error of the best, or within {loss} if that is more. The simplest has the fewest conditions to read."
    )


def _ends(one: Outcome) -> tuple[float, float]:
    assert one.score is not None
    low, high = one.score.interval
    return (one.score.mean, one.score.mean) if math.isnan(low) or math.isnan(high) else (low, high)


def _merit(one: Outcome, report: Report) -> float:
    assert one.score is not None
    mean = one.score.mean if report.comparison.higher_is_better else -one.score.mean
    return -math.inf if math.isnan(mean) else mean


def _outcome(one: Outcome, names: Sequence[str], sizes: Sequence[str]) -> tuple[str, ...]:
    assert one.score is not None
    low, high = (_measure(names[0], end) for end in one.score.interval)
    cells = [_measure(name, one.metrics[name].mean) if one.has(name) else "-" for name in names[1:]]
    cells += [f"{one.metrics[name].mean:.1f}" if one.has(name) else "-" for name in sizes]
    return (one.method, _measure(names[0], one.score.mean), f"{low} to {high}", *cells)


def _measure(name: str, value: float) -> str:
    if math.isnan(value):
        return "-"
    return percent(value) if ABOUT[name].percent else number_text(value)
