"""Grow boosted trees from binned columns: in every round a tree is fitted to the gradients of the loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._names import listed
from hornbeam.core.forests.boost.boost import Booster, sample_rows
from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal
from hornbeam.gpu.device import takes_gpu
from hornbeam.learn.forests.about import About, unit_of
from hornbeam.learn.forests.binned import MOST_BINS, binned_of
from hornbeam.learn.forests.boosting_losses import CLASS_LOSSES
from hornbeam.learn.forests.watched import Watch, Watched
from hornbeam.model.base.align import rows_of_table
from hornbeam.model.forests.forest import Forest
from hornbeam.model.forests.joined import first_trees, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.gpu.boost import CudaBooster
    from hornbeam.learn.forests.binned import Binned
    from hornbeam.learn.forests.boosting_losses import Loss
    from hornbeam.learn.forests.watched import EvalSet

    Tree = Mapping[str, NDArray[Any]]
    Report = Callable[[int, int], bool]

NO_LIMIT = 2**31 - 1
MOST_SUMS = 2**30  # bytes for the sums of nodes that may still be split; others are counted again
# Second derivative (with a gradient of zero) that is added to each category when categories are ordered.
NOMINAL_SMOOTHING = 1.0
# What ordering categories gains by chance alone: for normal noise, the best division in two explains 2 / pi of the
# squares, one for each category but the first. This is charged for every category beyond two, in means of squared
# gradients over second derivatives (the scale on which a meaningless split gains 1 per degree of freedom).
CATEGORY_CHARGE = 2.0 / np.pi
MIN_CURVE = 1e-3  # minimum second derivative of a leaf for classes: rows with certain predictions are not split
SCALED_GRADIENTS = ("squared", "huber")  # losses whose gradients have the unit of the target


def no_report(_step: int, _total: int) -> bool:
    """Report nothing, and continue."""
    return False


@dataclass(frozen=True)
class BoostingChoices:
    """How boosted trees are grown."""

    loss: Loss
    n_rounds: int
    shrink: float
    max_leaves: int | None
    max_depth: int | None
    min_leaf: float
    l1: float
    l2: float
    min_gain: float
    subsample: float
    n_columns: int  # how many a tree may use
    max_bins: int
    monotone: tuple[int, ...]
    early_stopping: bool
    validation_fraction: float
    patience: int
    seed: int
    recipe: Mapping[str, Any]
    device: str = "cpu"


@dataclass(frozen=True)
class Boosted:
    """The trees, and the loss on the rows that decide when to stop: before the first round and after each round."""

    forest: Forest
    n_rounds: int
    validation_loss: NDArray[np.float64] | None


def boost(
    table: Table,
    choices: BoostingChoices,
    n_threads: int,
    report: Report = no_report,
    *,
    sets: Sequence[EvalSet] = (),
    before: Forest | None = None,
) -> Boosted:
    """Grow boosted trees.

    Parameters
    ----------
    table : Table
        Rows with a known target; weights, if any, above zero.
    choices : BoostingChoices
        How to grow the trees.
    n_threads : int
        Number of threads, which share the rows and columns of a tree; the trees are the same for any number.
    report : callable
        Called with the number of rounds made and that of all rounds; no more are made if it returns True.
    sets : sequence of EvalSet
        Other rows on which the loss is computed after each round; with early stopping the last of them decides when to
        stop.
    before : Forest, optional
        The trees of the first rounds, of an earlier call with the same columns, classes and loss. The others are those
        that one call would grow: what is drawn at random depends only on the seed and the number of the round.
    """
    binned = binned_of(table, choices.max_bins, n_threads)
    target, loss = table.target_values().astype(np.float64), choices.loss
    weights = None if table.weights is None else table.weights.astype(np.float64)
    held_out = np.zeros(table.n_rows, np.uint8) if sets else _held_out(table, choices)
    if before is None:
        learned = held_out == 0
        base = loss.base(target[learned], None if weights is None else weights[learned])
        about = _about(target, base, loss)
    else:
        base = before.base
        about = None if before.unit is None else About(float(base[0]), float(before.unit[0]))
    if about is not None:
        target = about.distances(target)
    scale = 1.0 if about is None or loss.name not in SCALED_GRADIENTS else about.unit
    booster = _booster(table, binned, target, weights, choices, n_threads, scale)
    booster.start(base[:, None] if about is None else 0.0)
    factor = 1.0 if about is None else about.unit * scale
    watched = [Watched.of_set(one, base, about) for one in sets]
    watch = Watch(loss, booster.scores_of, target, weights, held_out.astype(np.bool_), watched, factor)
    start = 0 if before is None else _replay(before, table, booster, watch, n_threads)
    shape = _Shape(table, binned, base, choices, about)
    trees: list[Tree] = []
    for turn in range(start, choices.n_rounds):
        _draw(booster, held_out, choices, turn, is_first=turn == start)
        grown = _round(booster, watch, choices, turn, binned.n_features)
        trees += grown
        if watched:
            watch.add(shape.joined(grown), 0, loss.n_outputs, n_threads)
        watch.look()
        if report(turn + 1, choices.n_rounds) or (choices.early_stopping and watch.should_stop(choices.patience)):
            break
    n_rounds = watch.best if choices.early_stopping else start + len(trees) // loss.n_outputs
    losses = np.array(watch.deciding) * factor if choices.early_stopping else None
    forest = _together(before, shape, trees, n_rounds * loss.n_outputs)
    return Boosted(forest.known_sound(), n_rounds, losses)


def _booster(
    table: Table,
    binned: Binned,
    target: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    choices: BoostingChoices,
    n_threads: int,
    scale: float,
) -> Booster | CudaBooster:
    """The kernel; gradients are in units of `scale`."""
    loss = choices.loss
    options = {
        "l1": choices.l1 / scale,
        "l2": choices.l2,
        "min_weight": choices.min_leaf,
        "min_curve": MIN_CURVE if loss.name in CLASS_LOSSES else 0.0,
        "min_gain": choices.min_gain / scale**2,
        "max_leaves": NO_LIMIT if choices.max_leaves is None else choices.max_leaves,
        "max_depth": -1 if choices.max_depth is None else choices.max_depth,
        "shrink": choices.shrink,
        "nominal_smoothing": NOMINAL_SMOOTHING,
        "category_charge": CATEGORY_CHARGE,
        "most_sums": MOST_SUMS,
        "seed": choices.seed,
        "n_threads": n_threads,
    }
    columns = (binned.codes, binned.wide, binned.n_bins, binned.has_missing, binned.nominal, choices.monotone)
    wide = [table.schema.columns[table.schema.features[number]].name for number in binned.wide]
    if takes_gpu(choices.device, binned.codes.size, unsupported(loss.name, wide, weights)):
        from hornbeam.gpu.boost import CudaBooster  # noqa: PLC0415 - needs CuPy

        return CudaBooster(*columns, target, weights, loss.code, loss.n_outputs, options)
    return Booster(*columns, target, weights, loss.code, loss.n_outputs, options)


def unsupported(loss: str, wide: Sequence[str], weights: NDArray[np.float64] | None) -> list[str]:
    """What the GPU does not support: in words, for an error."""
    found = [f"loss={loss!r}"] if loss in {"absolute", "quantile"} else []
    if weights is not None:
        found.append("row weights or class weights")
    if wide:
        found.append(f"columns with more than {MOST_BINS} categories ({listed(wide)})")
    return found


def _replay(before: Forest, table: Table, booster: Booster | CudaBooster, watch: Watch, n_threads: int) -> int:
    """Add the trees of earlier rounds to the scores, and look at the losses after each; the number of these rounds."""
    rows = rows_of_table(before.schema, table)
    sums = before.first_sums(table.n_rows)
    every = before.n_outputs
    for first in range(0, before.n_trees, every):
        before.add_trees(rows, sums, n_threads, first, first + every)
        booster.start(sums.T)
        watch.add(before, first, first + every, n_threads)
        watch.look()
    return before.n_trees // every


def _together(before: Forest | None, shape: _Shape, trees: Sequence[Tree], n_trees: int) -> Forest:
    """The first trees of all: of earlier rounds, and of these."""
    if before is None:
        return shape.joined(trees[:n_trees])
    if n_trees <= before.n_trees:
        return first_trees(before, n_trees)
    return joined(before, shape.joined(trees[: n_trees - before.n_trees]))


def _about(target: NDArray[np.float64], base: NDArray[np.float64], loss: Loss) -> About | None:
    """The unit of distances from the base; None if single precision can hold them as they are."""
    if loss.link != "identity":
        return None
    unit = unit_of(target - base[0])
    return None if unit == 1.0 else About(float(base[0]), unit)


def _round(
    booster: Booster | CudaBooster, watch: Watch, choices: BoostingChoices, turn: int, n_features: int
) -> list[Tree]:
    """One tree per output, all by the scores before the round."""
    n_outputs = choices.loss.n_outputs
    parameter = watch.parameter()
    if choices.loss.name == "multinomial":
        booster.take_probabilities()
    level = choices.loss.level if choices.loss.name == "quantile" else 0.5
    grown: list[Tree] = []
    for output in range(n_outputs):
        number = turn * n_outputs + output
        if choices.n_columns < n_features:
            random = np.random.default_rng((choices.seed, number))
            active = np.zeros(n_features, np.uint8)
            active[random.permutation(n_features)[: choices.n_columns]] = 1
            booster.choose_columns(active)
        booster.slopes(output, parameter, number)
        grown.append(booster.grow(output, level))
    return grown


def _held_out(table: Table, choices: BoostingChoices) -> NDArray[np.uint8]:
    """A mask of rows that are held out for validation: a fraction of every class, or of all rows."""
    marks = np.zeros(table.n_rows, np.uint8)
    if not choices.early_stopping or choices.validation_fraction <= 0.0:
        return marks
    truth = table.target_values()
    nominal = isinstance(table.schema.target_column, Nominal)
    random = np.random.default_rng((choices.seed, 1))
    for group in np.unique(truth) if nominal else (None,):
        rows = np.flatnonzero(truth == group) if nominal else np.arange(table.n_rows)
        marks[random.permutation(rows)[: round(choices.validation_fraction * len(rows))]] = 1
    if not marks.any() or marks.all():
        of = f" of each of {len(np.unique(truth))} classes" if nominal else ""
        msg = (
            f"early_stopping holds out a fraction of {choices.validation_fraction}{of}, rounded to whole rows: "
            f"{int(marks.sum())} of {table.n_rows} rows; expected rows to learn from and rows to stop by: change "
            "validation_fraction, or set early_stopping=False"
        )
        raise ValueError(msg)
    return marks


def _draw(
    booster: Booster | CudaBooster, held_out: NDArray[np.uint8], choices: BoostingChoices, turn: int, *, is_first: bool
) -> None:
    """Choose the rows that the trees of a round learn from."""
    if choices.subsample >= 1.0 and not (is_first and held_out.any()):
        return
    used, others = sample_rows(held_out, choices.subsample, choices.seed, turn)
    if not len(used):  # with very few rows
        used, others = sample_rows(held_out, 1.0, choices.seed, turn)
    booster.use(used, others)


# ---- trees into a forest ----


@dataclass(frozen=True)
class _Shape:
    """What is needed in addition to the trees to make a forest."""

    table: Table
    binned: Binned
    base: NDArray[np.float64]
    choices: BoostingChoices
    about: About | None

    def joined(self, trees: Sequence[Tree]) -> Forest:
        """The trees as a forest."""
        sizes = np.array([len(tree["feature"]) for tree in trees], np.int64)
        roots = offsets(sizes)
        flat = {name: np.concatenate([tree[name] for tree in trees]) for name in trees[0]}
        first_child = np.where(flat["first_child"] < 0, -1, flat["first_child"] + np.repeat(roots[:-1], sizes))
        has_sets = bool(flat["set_size"].any())
        n_outputs = self.choices.loss.n_outputs
        return Forest(
            schema=self.table.schema,
            roots=roots,
            feature=flat["feature"],
            cut=_cuts(flat["feature"], flat["cut"], self.binned),
            first_child=first_child.astype(np.int32),
            missing=flat["missing"],
            weight=flat["weight"],
            value=flat["value"][:, None],
            gain=flat["gain"],
            base=self.base,
            combine="sum",
            link=self.choices.loss.link,
            output=np.tile(np.arange(n_outputs, dtype=np.int32), len(trees) // n_outputs),
            set_start=offsets(flat["set_size"]) if has_sets else None,
            codes=flat["codes"] if has_sets else None,
            unit=None if self.about is None else np.array([self.about.unit]),
            recipe=dict(self.choices.recipe),
        ).known_sound()


def _cuts(feature: NDArray[np.int32], code: NDArray[np.int32], binned: Binned) -> NDArray[np.float64]:
    """The cut after each code; the cut after the last code separates known from missing."""
    cut = np.zeros(len(feature))
    for number, edges in enumerate(binned.cuts):
        if not binned.nominal[number]:
            own = feature == number
            cut[own] = np.append(edges, np.inf)[code[own]]
    return cut
