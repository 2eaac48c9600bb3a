"""The nearest center of every row of numbers, for k-means and its models; exact, and fast.

Rows are kept twice: as they are, and centered, scaled and rounded to float32 for most comparisons (see
`core/clusters/kmeans.pyx`). Bounds kept between iterations avoid most comparisons, unless there are few centers; each
group of centers has one lower bound, and there are as many groups as fit into the allowed memory.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base.threads import Threads
from hornbeam.core.clusters import kmeans as kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.core.base.arrays import Floats, Ints32, Ints64

    Part = Callable[[int, int, int], Any]

TILE = 16  # centers that are compared together, or rows if there are few centers
FEW = 32  # centers up to which comparing all costs less than bounds
GROUP_TILES = 8  # tiles of a group, if memory allows: smaller groups cost more than they save
MOST_GROUPS = 64
CHUNKS = 16  # parts that rows are divided into, for any number of threads
SMALL_CHUNK = 2048
FAR = 1e30  # the score of an unused place; centers whose squared distance is larger are not compared in float32
TOO_WIDE = 1e150  # squares of larger numbers are not finite


class Crew:
    """Threads that process chunks of rows; the chunks depend only on the number of rows."""

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
        self.pool = Threads(n_threads - 1) if n_threads > 1 else None

    def run(self, part: Part, n_rows: int) -> list[Any]:
        """Call `part(number, first, last)` for every chunk of rows; return the results in order."""
        size = chunk_size(n_rows)
        chunks = [(number, first, min(first + size, n_rows)) for number, first in enumerate(range(0, n_rows, size))]

        def several(some: list[tuple[int, int, int]]) -> list[Any]:
            return [part(*chunk) for chunk in some]

        if self.pool is None or len(chunks) == 1:
            return several(chunks)
        share = -(-len(chunks) // self.n_threads)
        try:
            rest = [self.pool.submit(several, chunks[at : at + share]) for at in range(share, len(chunks), share)]
            done = several(chunks[:share])  # in this thread: waking another takes as long as a chunk
            for future in rest:
                done += future.result()
        except BaseException:
            self.pool.give_up()
            raise
        return done

    def close(self) -> None:
        """Stop the threads."""
        if self.pool is not None:
            self.pool.close()


def chunk_size(n_rows: int) -> int:
    """The number of rows of a chunk, a multiple of the tile size."""
    return max(SMALL_CHUNK, -(-n_rows // (CHUNKS * TILE)) * TILE)


class NearestCenters:
    """Finds the nearest centers of rows repeatedly, as the centers move.

    Parameters
    ----------
    rows : array of shape (rows, columns)
        Finite numbers.
    crew : Crew
        The threads.
    memory_mb : float
        The memory for bounds; there is at least one bound per row.
    """

    def __init__(self, rows: Floats, crew: Crew, memory_mb: float = 0.0) -> None:
        self.rows, self.crew, self.memory_mb = rows, crew, memory_mb
        self.squares = np.empty(len(rows))
        self.side_by_side = 0
        parts = np.empty((CHUNKS, 3, rows.shape[1]))
        done = crew.run(lambda number, first, last: kernels.extent(rows, parts[number], first, last), len(rows))
        low, high, total = parts[: len(done), 0].min(axis=0), parts[: len(done), 1].max(axis=0), parts[: len(done), 2]
        self.middle = (total / len(rows)).sum(axis=0)
        wide = float(np.maximum(self.middle - low, high - self.middle).max(initial=0.0))
        self.scale = 2.0 ** math.frexp(wide)[1] if wide > 0 else 1.0
        self.is_wide = not wide < TOO_WIDE or not self.scale > 1 / TOO_WIDE  # then float32 cannot be used

    def begin(self, centers: Floats) -> None:
        """Drop all bounds, and divide the centers into groups of nearby ones."""
        k, n = len(centers), len(self.rows)
        with np.errstate(over="ignore", invalid="ignore"):
            placed = (centers - self.middle) / self.scale
            self.is_far = not np.einsum("ij,ij->i", placed, placed).max(initial=0.0) < FAR
        self.is_few = k <= FEW
        self._lay_out(TILE if self.is_few else 1)
        if self.is_few:
            return
        n_tiles = -(-k // TILE)
        room = int(self.memory_mb * 2**20 / (4 * max(n, 1)))
        n_groups = max(1, min(n_tiles // GROUP_TILES, MOST_GROUPS, room))
        starts = np.unique(np.linspace(0, n_tiles, n_groups + 1).astype(np.int32))
        self.n_groups = len(starts) - 1
        order = _in_groups(centers, [int(start) * TILE for start in starts[1:-1]])
        self.owner = np.full(n_tiles * TILE, -1, np.int32)
        self.owner[:k] = order
        self.slot = np.empty(k, np.int32)
        self.slot[order] = np.arange(k, dtype=np.int32)
        self.group_start = starts
        self.group = np.repeat(np.arange(self.n_groups, dtype=np.int32), np.diff(starts) * TILE)
        self.moved = np.zeros(self.n_groups)
        self.upper = np.full(n, np.inf)
        self.before: Floats | None = None

    def _lay_out(self, side_by_side: int) -> None:
        """Prepare the rows in float32, once for each of the two methods."""
        n, d = self.rows.shape
        if self.side_by_side == side_by_side or self.is_wide:
            return
        self.side_by_side = side_by_side
        self.small = np.zeros(-(-n // side_by_side) * side_by_side * d, np.float32)
        self.crew.run(
            lambda _number, first, last: kernels.lay_out(
                self.rows, self.middle, self.scale, side_by_side, self.small, self.squares, first, last
            ),
            n,
        )

    def forget(self, row: int) -> None:
        """Drop the bounds of a row that was moved to another cluster."""
        if not self.is_few:
            self.upper[row] = np.inf

    def assign(self, centers: Floats, labels: Ints32, found: Ints32) -> None:
        """Write the nearest center of every row to `found`; `labels` are those of the previous iteration."""
        if self.is_wide or self.is_far:
            self.assign_plainly(centers, found)
            return
        placed = (centers - self.middle) / self.scale
        lengths = np.einsum("ij,ij->i", placed, placed)
        reach = float(np.sqrt(lengths.max(initial=0.0))) * (1 + 1e-6)
        d = centers.shape[1]
        margin, fine = 1.1 * (d + 6) * 2.0**-24, (d + 8) * 2.0**-51
        sizes = (reach, margin, fine)
        if self.is_few:
            small, half = placed.astype(np.float32), (lengths / 2).astype(np.float32)
            self.crew.run(
                lambda _number, first, last: kernels.assign_few(
                    self.small, self.rows, self.squares, small, half, centers, *sizes, found, first, last
                ),
                len(self.rows),
            )
            return
        self._place(centers, placed, lengths, sizes)
        self.crew.run(lambda _number, first, last: self.bounds.assign(labels, found, first, last), len(self.rows))

    def _place(self, centers: Floats, placed: Floats, lengths: Floats, sizes: tuple[float, float, float]) -> None:
        """Update the bounds by how far the centers have moved."""
        n_slots, d = len(self.owner), centers.shape[1]
        filled = self.owner >= 0
        half = np.full(n_slots, FAR, np.float32)
        half[filled] = lengths[self.owner[filled]] / 2
        tiles = np.zeros((n_slots, d), np.float32)
        tiles[filled] = placed[self.owner[filled]]
        tiles = np.ascontiguousarray(tiles.reshape(-1, TILE, d).transpose(0, 2, 1))
        move = np.zeros(len(centers))
        if self.before is None:
            lower = np.empty((len(self.rows), self.n_groups), np.float32)  # not used if `upper` is infinite
            self.bounds = kernels.Bounds(
                self.small.reshape(-1, d), self.rows, self.squares, self.owner, self.slot, self.group,
                self.group_start, self.upper, lower,
            )  # fmt: skip
        else:
            move = np.sqrt(((placed - self.before) ** 2).sum(axis=1)) * (1 + 1e-9)
            farthest = np.zeros(self.n_groups)
            np.maximum.at(farthest, self.group[self.slot], move)
            self.moved = self.moved + farthest
        self.before = placed
        self.bounds.place(centers, tiles, placed.astype(np.float32), half, self.moved, move, *sizes)

    def assign_plainly(self, centers: Floats, found: Ints32) -> None:
        """Do the same by comparing every row with every center."""
        self.crew.run(
            lambda _number, first, last: kernels.assign_plainly(self.rows, centers, found, first, last), len(self.rows)
        )


def nearest_centers(rows: Floats, centers: Floats, n_threads: int = 1) -> Ints32:
    """The nearest center of every row of numbers; on a tie the first."""
    found = np.zeros(len(rows), np.int32)
    if not len(rows) or not rows.shape[1]:
        return found
    crew = Crew(n_threads)
    try:
        search = NearestCenters(np.ascontiguousarray(rows), crew)
        search.begin(centers)
        search.assign(centers, found, found)
    finally:
        crew.close()
    return found


def _in_groups(centers: Floats, cuts: list[int]) -> Ints64:
    """Order the centers so that those between two cuts are near each other: halved repeatedly at the widest column."""
    order = np.arange(len(centers))

    def halve(first: int, last: int, inside: list[int]) -> None:
        if not inside:
            return
        cut = inside[len(inside) // 2]
        part = order[first:last]
        column = int(np.argmax(np.ptp(centers[part], axis=0)))
        order[first:last] = part[np.argsort(centers[part, column], kind="stable")]
        halve(first, cut, [c for c in inside if c < cut])
        halve(cut, last, [c for c in inside if c > cut])

    if centers.shape[1]:
        halve(0, len(centers), cuts)
    return order
