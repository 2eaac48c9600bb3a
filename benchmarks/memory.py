"""Touch memory and give it back, in a process of its own: ``python -m benchmarks.memory``.

A virtual machine may hand pages that lie idle back to its host; the next process to touch them then waits for the host,
ten times longer than for the page itself, and not alike in two runs. Done before every measurement, so that no peer
pays for it.
"""

from __future__ import annotations

import numpy as np

SIZE = 2 << 30  # bytes; no peer needs much more
PAGE = 4096


def touch() -> None:
    """Write to every page of a block."""
    np.empty(SIZE, np.uint8)[::PAGE] = 1


if __name__ == "__main__":
    touch()
