"""Types of arrays by their kind of number, for annotations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Ints8 = NDArray[np.int8]
Ints32 = NDArray[np.int32]
Ints64 = NDArray[np.int64]
Uints8 = NDArray[np.uint8]
Uints32 = NDArray[np.uint32]
Uints64 = NDArray[np.uint64]
Indices = NDArray[np.intp]
Bools = NDArray[np.bool_]
AnyArray = NDArray[Any]
