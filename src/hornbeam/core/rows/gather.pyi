from typing import TypeVar

from hornbeam.core.base.arrays import AnyArray, Ints64

_Array = TypeVar("_Array", bound=AnyArray)

def take(values: _Array, order: Ints64) -> _Array: ...
