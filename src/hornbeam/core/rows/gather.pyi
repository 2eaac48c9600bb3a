from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

_Array = TypeVar("_Array", bound=NDArray[Any])

def take(values: _Array, order: NDArray[np.int64]) -> _Array: ...
