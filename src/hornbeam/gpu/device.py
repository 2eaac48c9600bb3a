"""The GPU: finding it, compiling kernels for it, and errors that say what is missing."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

OPTIONS = ("-std=c++17", "-fmad=false")  # fused multiply-add would round differently than the compiled kernels do
DEVICES = ("cpu", "cuda", "auto")
LEAST_CELLS = 20_000_000  # rows times columns from which "auto" takes the GPU: below, starting it takes longer
LEAST_ARCHITECTURE = 80
GIB = 2**30


class DeviceError(RuntimeError):
    """The GPU cannot be used."""


@cache
def cupy() -> Any:
    """CuPy, if it is installed and a GPU can be used."""
    try:
        import cupy as module  # noqa: PLC0415
    except ImportError as error:
        msg = "device='cuda' needs CuPy; install it with: pip install 'hornbeam[gpu]'"
        raise ImportError(msg) from error
    try:
        n_devices = module.cuda.runtime.getDeviceCount()
    except module.cuda.runtime.CUDARuntimeError as error:
        msg = f"device='cuda' needs an NVIDIA GPU and its driver; CUDA reports: {error}. Use device='cpu'"
        raise DeviceError(msg) from error
    if not n_devices:
        msg = "device='cuda' needs an NVIDIA GPU; none was found. Use device='cpu'"
        raise DeviceError(msg)
    architecture = int(module.cuda.Device().compute_capability)
    if architecture < LEAST_ARCHITECTURE:
        msg = (
            f"this GPU has compute capability {architecture / 10}; expected {LEAST_ARCHITECTURE / 10} or more. "
            "Use device='cpu'"
        )
        raise DeviceError(msg)
    return module


@cache
def kernels(*names: str) -> Any:
    """The kernels of some source files, read one after the other, as a module of CuPy."""
    folder = files("hornbeam.gpu") / "kernels"
    source = "\n".join((folder / name).read_text(encoding="utf-8") for name in names)
    return cupy().RawModule(code=source, options=OPTIONS)


def takes_gpu(device: str, n_cells: int, unsupported: Sequence[str]) -> bool:
    """Whether to learn on the GPU.

    Parameters
    ----------
    device : {"cpu", "cuda", "auto"}
    n_cells : int
        Rows times columns.
    unsupported : sequence of str
        What was asked for and is not supported on the GPU.
    """
    if device == "cpu":
        return False
    if device == "auto":
        return not unsupported and n_cells >= LEAST_CELLS and _is_usable()
    if unsupported:
        msg = f"device='cuda' does not support {' or '.join(unsupported)}; use device='cpu'"
        raise ValueError(msg)
    cupy()
    return True


def _is_usable() -> bool:
    try:
        cupy()
    except (ImportError, DeviceError):
        return False
    return True


def check_memory(wanted: int, what: str) -> None:
    """Raise an error if the GPU has less free memory than wanted."""
    module = cupy()
    free, total = module.cuda.runtime.memGetInfo()
    free += module.get_default_memory_pool().free_bytes()
    if wanted > free:
        msg = (
            f"{what} needs {wanted / GIB:.1f} GiB on the GPU; {free / GIB:.1f} of {total / GIB:.1f} GiB are free. "
            "Use fewer rows or columns, or device='cpu'"
        )
        raise MemoryError(msg)
