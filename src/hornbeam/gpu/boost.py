"""Gradient boosting on the GPU: takes the place of `Booster` of `core/forests/boost`, and grows the same trees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.gpu.device import check_memory, cupy, kernels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import AnyArray, Floats, Indices, Ints32, Uints8, Uints32

SOURCES = ("boost.cuh", "slopes.cu", "grow.cu", "search.cu", "leaves.cu")
BINS, CHUNK, TILE, COLUMNS_AT_ONCE, AT_ONCE = 256, 8192, 4096, 28, 32  # as in the kernels
BLOCKS = 264  # two for each multiprocessor of a large GPU; kernels work with any number
MOST_LEAVES = 1 << 20
MOST_DEPTH = 20  # with which a full tree has no more leaves than that
FURTHER_ROUNDS = 4
SLOT_BUDGET = 8 << 30  # bytes for the sums of leaves that may still be split
LOSSES = ("squared", "absolute", "huber", "quantile", "poisson", "logistic", "multinomial")
ARRAYS = ("feature", "cut", "first_child", "missing", "weight", "value", "gain", "set_size", "codes")


def _struct(**fields: str) -> np.dtype[Any]:
    """A structure of the kernels: by type, the names of fields in their order; `name*n` is an array."""
    listed: list[Any] = []
    for kind, names in fields.items():
        for name in names.split():
            base, _, number = name.partition("*")
            listed.append((base, kind.rstrip("_"), int(number)) if number else (base, kind.rstrip("_")))
    return np.dtype(listed)


# As in kernels/boost.cuh; a type that occurs twice has an underscore the second time.
SPLIT = _struct(f8="gain", i8="first_sum", u8="codes*4", i4="column cut missing unused")
NODE = np.dtype(
    [
        *_struct(
            i8="begin n_rows total",
            f8="low high gradient curve value gain",
            i4="depth slot buffer number first_child divided",
        ).descr,
        ("split", SPLIT),
    ]
)
COLUMN = _struct(i4="n_codes has_missing nominal monotone")
JOB = _struct(
    i8="n_rows n_chunks",
    f8="l1 l2 min_gain min_weight min_curve nominal_smoothing category_charge shrink",
    i8_="max_leaves",
    i4="n_columns stride max_depth curved limited loss",
)
PAIR = _struct(i4="node small large wanted*2 subtract unsure*2", i8="first_tile end_tile first_part")
STATE = np.dtype(
    [
        *_struct(
            i8="n_used n_stored n_numbered n_leaves n_chunks n_tiles n_parts",
            f8="units*10 most_gradient most_curve sum",
            u8="total",
            u4="most_bits*2 least_word most_word",
            i4="in_order n_slots first_new_slot n_open failed n_pairs n_unsure",
            u4_="ticket",
        ).descr,
        ("pairs", PAIR, AT_ONCE),
    ]
)

TOTAL_AT = 20  # where `total` lies in STATE, in words
WORD = 2**64 - 1


def scramble(word: int) -> int:
    """Mix the bits of a word, as in core/base/random."""
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
    return word ^ (word >> 31)


def mix(seed: int, first: int, second: int) -> int:
    """The random word of a seed at position (first, second), as in core/base/random."""
    word = scramble((seed + 0x9E3779B97F4A7C15) & WORD)
    word = scramble(word ^ ((first * 0xD1342543DE82EF95 + 1) & WORD))
    return scramble(word ^ ((second * 0xDA942042E4DD58B5 + 1) & WORD))


class CudaBooster:
    """Columns, target and parameters of one boosting run; `grow` adds a tree. The parameters are those of `Booster`."""

    def __init__(
        self,
        codes: Uints8,
        _wide: Mapping[int, Ints32],  # none: see `unsupported` in learn/forests/boost
        n_codes: Ints32,
        has_missing: AnyArray,
        nominal: AnyArray,
        monotone: Sequence[int],
        target: Floats,
        _weights: Floats | None,
        loss: int,
        n_outputs: int,
        choices: Mapping[str, Any],
    ) -> None:
        self.cp = cupy()
        self.run = kernels(*SOURCES)
        self.functions: dict[str, Any] = {}
        self.loss, self.n_outputs, self.seed = loss, n_outputs, int(choices["seed"])
        self.n_columns, self.n_rows = codes.shape
        self.curved = loss >= LOSSES.index("poisson")
        self.max_leaves = self._most_leaves(choices)
        self.n_codes, self.nominal = np.asarray(n_codes), np.asarray(nominal, np.bool_)
        align = next(
            (size for size in (4, 8, 16) if self.n_columns <= size), 32
        )  # a record lies in few lines of memory
        stride = -(-self.n_columns // align) * align
        self.n_chunks = -(-self.n_rows // CHUNK)
        columns = np.zeros(self.n_columns, COLUMN)
        columns["n_codes"], columns["has_missing"], columns["nominal"] = n_codes, has_missing, nominal
        if len(monotone):
            columns["monotone"] = monotone
        job = np.zeros((), JOB)
        for name in JOB.names or ():
            if name in choices:
                job[name] = choices[name]
        job["n_rows"], job["n_chunks"], job["max_leaves"] = self.n_rows, self.n_chunks, self.max_leaves
        job["n_columns"], job["stride"], job["loss"], job["curved"] = self.n_columns, stride, loss, self.curved
        job["limited"] = bool(columns["monotone"].any())
        self._allocate(codes, target, columns, job, stride)
        self.graphs: dict[int, Any] = {}  # by the number of rounds
        self.use(None, np.empty(0, np.uint32))

    def _most_leaves(self, choices: Mapping[str, Any]) -> int:
        """The leaves of a tree at most; each may need memory for its sums."""
        most = min(choices["max_leaves"], self.n_rows // max(int(np.ceil(choices["min_weight"])), 1))
        if 0 <= choices["max_depth"] <= MOST_DEPTH:
            most = min(most, 2 ** choices["max_depth"])
        room = min(SLOT_BUDGET // (self.n_columns * BINS * 16), MOST_LEAVES)
        if most > room:
            msg = (
                f"trees may have {most:,} leaves; the GPU has room for the sums of {room:,}: set max_leaf_nodes or "
                "max_depth, increase min_samples_leaf, or use device='cpu'"
            )
            raise MemoryError(msg)
        return max(int(most), 1)

    def _allocate(self, codes: Uints8, target: Floats, columns: AnyArray, job: AnyArray, stride: int) -> None:
        cp, n = self.cp, self.n_rows
        per_row = self.n_columns + stride + 12 * self.n_outputs + 8 + 8 + 8 + 8
        self.slot_size = self.n_columns * BINS
        check_memory(n * per_row + 16 * self.slot_size * (self.max_leaves + 1), f"boosting {n:,} rows")
        self.codes = cp.asarray(codes)
        self.records = cp.zeros((n, stride), cp.uint8)
        self.records[:, : self.n_columns] = self.codes.T
        self.target = cp.asarray(target, cp.float64)
        self.score = cp.zeros((self.n_outputs, n))
        multinomial = self.loss == LOSSES.index("multinomial")
        self.probability = cp.empty((self.n_outputs, n if multinomial else 1), cp.float32)
        self.slope = cp.empty((n, 2 if self.curved else 1), cp.float32)
        self.words = cp.empty(n, cp.int64)
        self.rows = cp.empty((2, n), cp.uint32)
        n_tiles = -(-n // TILE) + AT_ONCE
        self.counts_by_tile, self.stay_bits = cp.empty(n_tiles + 1, cp.int64), cp.empty(n_tiles * TILE // 32, cp.uint32)
        self.chunk_sums = cp.empty(3 * self.n_chunks)
        n_nodes = 4 * self.max_leaves + 1  # rows are also divided for leaves whose turn may not come
        self.most_chunks = self.n_chunks + self.max_leaves
        self.nodes = cp.zeros(n_nodes * NODE.itemsize, cp.uint8)
        self.open = cp.empty(3 * (self.max_leaves + 2), cp.float64)
        self.leaf_of_chunk, self.first_chunk = cp.empty(self.most_chunks, cp.int64), cp.empty(n_nodes, cp.int64)
        self.leaf_sums = cp.empty(2 * self.most_chunks)
        self.sums = cp.empty((2 * self.max_leaves + 1) * self.slot_size, cp.int64)
        n_items = 2 * min(AT_ONCE, self.max_leaves)
        self.row_counts = cp.zeros(n_items * self.slot_size if self.curved else 1, cp.int32)
        candidate = SPLIT.itemsize + 8
        self.candidates = cp.zeros(n_items * self.n_columns * candidate, cp.uint8)
        self.again = cp.zeros(n_items * self.n_columns * candidate if self.curved else 1, cp.uint8)
        self.columns = cp.asarray(columns.view(np.uint8))
        self.job = cp.asarray(np.frombuffer(job.tobytes(), np.uint8))
        self.state = cp.zeros(STATE.itemsize, cp.uint8)
        self.active = cp.ones(self.n_columns, cp.uint8)

    # ---- what boosting asks of it ----

    def start(self, scores: Any) -> None:
        """Set the scores of all rows: numbers that can be broadcast to (outputs, rows)."""
        self.score[:] = self.cp.asarray(scores)

    def scores_of(self, rows: slice | Indices) -> Floats:
        """The scores of some rows, (outputs, rows)."""
        own = self.score[:, rows if isinstance(rows, slice) else self.cp.asarray(rows)]
        return np.asarray(own.get())

    def use(self, used: Uints32 | None, _others: Uints32) -> None:
        """Learn from these rows (None: all)."""
        self.in_order = used is None
        self.used = None if used is None else self.cp.asarray(used)
        self.n_used = self.n_rows if used is None else len(used)

    def choose_columns(self, active: Uints8) -> None:
        """Use these columns (uint8, by column) from now on."""
        self.active.set(np.ascontiguousarray(active[: self.n_columns]))

    def take_probabilities(self) -> None:
        """Compute the class probabilities from the scores so far; the gradients of the next trees use them."""
        self._launch("probabilities", BLOCKS * 8, 256, self.score, np.int32(self.n_outputs), np.int64(self.n_rows),
                     self.probability)  # fmt: skip

    def slopes(self, output: int, parameter: float, turn: int) -> None:
        """Compute the gradients of an output, and round them."""
        state, job = self.state, self.job
        key = mix(self.seed, turn, 0x5C0FE) >> 16 & 0xFFFFFFFF
        own = self.probability[output] if self.loss == LOSSES.index("multinomial") else np.uint64(0)
        state[:] = 0
        self._launch("slopes", self.n_chunks, 256, job, state, self.score[output], self.target, own,
                     np.float64(parameter), np.float64(output), self.slope, self.chunk_sums)  # fmt: skip
        self._launch("units", 1, 256, job, state, self.chunk_sums)
        self._launch("round_slopes", BLOCKS * 4, 512, job, state, self.slope, np.uint32(key), self.words)

    def grow(self, output: int, _level: float = 0.5) -> GrownTree:
        """Add a tree for an output, using the gradients from `slopes`; returns its arrays by name."""
        if not self.n_used:
            msg = "no rows to learn from: the sample is empty"
            raise ValueError(msg)
        if self.used is not None:
            self.rows[0, : self.n_used] = self.used
            self.state.view(self.cp.uint64)[TOTAL_AT] = 0
            self._launch("sum_words", BLOCKS, 512, self.state, self.words, self.used, np.int64(self.n_used))
        self._launch("tree_begin", 1, 512, self.job, self.state, self.nodes, np.int64(self.n_used),
                     np.int32(self.in_order), self.sums, np.int64(self.slot_size))  # fmt: skip
        if self.max_leaves > 1:
            self._open()
        n_rounds = self.max_leaves.bit_length() + 2  # enough for most trees
        while True:
            if self.max_leaves > 1:
                self._rounds(n_rounds)
                n_rounds = FURTHER_ROUNDS
            self._finish(output)
            state = self.state.get().view(STATE)[0]
            if state["failed"]:
                most = max(float(state["most_gradient"]), float(state["most_curve"]))
                msg = f"the loss has a gradient of {most}: targets or weights are too large"
                raise ValueError(msg)
            if not state["n_pairs"]:
                return GrownTree(self, state)

    # ---- launching ----

    def _launch(self, name: str, blocks: int | tuple[int, ...], threads: int, *arguments: Any, shared: int = 0) -> None:
        kernel = self.functions.get(name)
        if kernel is None:
            kernel = self.functions[name] = self.run.get_function(name)
            kernel.max_dynamic_shared_size_bytes = max(shared, 48 << 10)
        kernel(blocks if isinstance(blocks, tuple) else (blocks,), (threads,), arguments, shared_mem=shared)

    def _open(self) -> None:
        """Sums and best splits of new nodes, and the choice of the leaves to divide next."""
        job, state, nodes, size, room = (
            self.job,
            self.state,
            self.nodes,
            np.int64(self.slot_size),
            np.int64(self.n_rows),
        )
        parts = -(-self.n_columns // COLUMNS_AT_ONCE)
        width = min(self.n_columns, COLUMNS_AT_ONCE)
        grid = (self.n_columns, 2 * min(AT_ONCE, self.max_leaves))
        self._launch("add_up", (BLOCKS, parts), 1024, job, state, nodes, self.records, self.words, self.rows, room,
                     self.sums, size, shared=8 * BINS * width)  # fmt: skip
        self._launch("search", grid, BINS, job, state, nodes, self.columns, self.active, self.sums, size,
                     self.candidates, self.open)  # fmt: skip
        if self.curved:
            self._launch("count_rows", (BLOCKS, parts), 512, job, state, nodes, self.records, self.rows, room,
                         self.row_counts, shared=4 * BINS * width)  # fmt: skip
            self._launch("search_again", grid, BINS, job, state, nodes, self.columns, self.active, self.sums, size,
                         self.row_counts, self.candidates, self.again, self.open)  # fmt: skip

    def _round(self) -> None:
        """Divide the rows of some leaves."""
        job, state, nodes, room = self.job, self.state, self.nodes, np.int64(self.n_rows)
        self._launch("count_sides", 4 * BLOCKS, 512, job, state, nodes, self.columns, self.codes, self.rows, room,
                     self.counts_by_tile, self.stay_bits)  # fmt: skip
        self._launch("divide", 8 * BLOCKS, 256, state, nodes, self.rows, room, self.counts_by_tile, self.stay_bits,
                     self.sums, np.int64(self.slot_size))  # fmt: skip
        self._open()

    def _rounds(self, n_rounds: int) -> None:
        """Divide leaves in some rounds; the kernels are one graph, launched at once."""
        if n_rounds not in self.graphs:
            if not self.graphs:
                self._round()  # the first launch of a kernel loads it, which must not happen while a graph is recorded
            stream = self.cp.cuda.Stream(non_blocking=True)
            self.cp.cuda.get_current_stream().synchronize()
            with stream:
                stream.begin_capture()
                for _ in range(n_rounds):
                    self._round()
                self.graphs[n_rounds] = stream.end_capture()
        self.graphs[n_rounds].launch(self.cp.cuda.get_current_stream())

    def _finish(self, output: int) -> None:
        """Values of leaves, and the resulting scores; nothing happens if the tree is not complete."""
        job, state, nodes = self.job, self.state, self.nodes
        chunks = (self.leaf_of_chunk, self.first_chunk)
        self._launch("list_chunks", 1, 512, state, nodes, *chunks)
        self._launch("sum_chunks", min(self.most_chunks, 16 * BLOCKS), 128, job, state, nodes, self.slope, self.rows,
                     np.int64(self.n_rows), *chunks, self.leaf_sums)  # fmt: skip
        self._launch("values", 1, 256, job, state, nodes, self.first_chunk, self.leaf_sums)
        self._launch("add_values", 8 * BLOCKS, 512, job, state, nodes, self.columns, self.records, self.score[output])


class GrownTree(Mapping[str, "AnyArray"]):
    """The arrays of a tree by name. They are fetched from the GPU when they are first needed, maybe much later."""

    def __init__(self, booster: CudaBooster, state: Any) -> None:
        self._stored = booster.nodes[: int(state["n_stored"]) * NODE.itemsize].copy()
        self._n_nodes = int(state["n_numbered"])
        self._nominal, self._n_codes = booster.nominal, booster.n_codes
        self._arrays: dict[str, AnyArray] | None = None

    def __getitem__(self, name: str) -> AnyArray:
        if self._arrays is None:
            self._arrays = self._fetched()
            del self._stored
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(ARRAYS)

    def __len__(self) -> int:
        return len(ARRAYS)

    def _fetched(self) -> dict[str, AnyArray]:
        stored = self._stored.get().view(NODE)
        own = np.flatnonzero(stored["number"] >= 0)
        place = np.empty(self._n_nodes, np.int64)
        place[stored["number"][own]] = own
        nodes = stored[place]
        split, inner = nodes["split"], nodes["divided"] == 1
        column = np.where(inner, split["column"], -1)
        nominal = inner & self._nominal[column]
        bits = np.unpackbits(np.ascontiguousarray(split["codes"]).view(np.uint8), axis=1, bitorder="little")
        bits[~nominal] = 0
        child = stored["number"][np.where(inner, nodes["first_child"], 0)]
        bits[np.arange(BINS) >= self._n_codes[column][:, None]] = 0
        return {
            "feature": column.astype(np.int32),
            "cut": np.where(inner & ~nominal, split["cut"], 0).astype(np.int32),
            "first_child": np.where(inner, child, -1).astype(np.int32),
            "missing": np.where(inner, split["missing"], 0).astype(np.int8),
            "weight": nodes["n_rows"].astype(np.float32),
            "value": nodes["value"].astype(np.float32),
            "gain": np.where(inner, nodes["gain"], 0.0).astype(np.float32),
            "set_size": bits.sum(axis=1).astype(np.int32),
            "codes": np.nonzero(bits)[1].astype(np.int32),
        }
