"""Kernels: inner products of rows in a space with more dimensions, computed without mapping the rows to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from hornbeam.core.svm import dense
from hornbeam.model.base.plain import ModelError

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats


KernelName = Literal["linear", "polynomial", "rbf", "sigmoid", "precomputed"]
KERNELS: tuple[KernelName, ...] = ("linear", "polynomial", "rbf", "sigmoid", "precomputed")  # in the kernels' order
ON_PLANE = 1e-9  # decision values up to this are of the first class, despite rounding on the plane
MOST_DEGREE = 100


@dataclass(frozen=True)
class Kernel:
    """A kernel with its parameters.

    Examples
    --------
    >>> kernel = Kernel("polynomial", degree=2, gamma=1.0, coef0=1.0)
    >>> kernel.values(np.array([[1.0, 2.0]]), np.array([[3.0, 1.0]]))
    array([[36.]])
    """

    # {"linear", "polynomial", "rbf", "sigmoid", "precomputed"}: x·y, (gamma x·y + coef0)^degree, exp(-gamma |x - y|²),
    # tanh(gamma x·y + coef0), or precomputed values
    name: KernelName
    degree: int = 1
    gamma: float = 1.0
    coef0: float = 0.0

    @property
    def choices(self) -> tuple[int, int, float, float]:
        """The arguments of the compiled code."""
        return KERNELS.index(self.name), self.degree, self.gamma, self.coef0

    @property
    def is_linear(self) -> bool:
        """Whether the kernel is the inner product."""
        return self.name == "linear"

    def values(self, a: Floats, b: Floats) -> Floats:
        """Kernel values of every row of one matrix with every row of another."""
        if self.name == "rbf":
            return self.of_products(((a[:, np.newaxis] - b[np.newaxis]) ** 2).sum(axis=2))
        return self.of_products(dense.products(np.ascontiguousarray(a), np.ascontiguousarray(b)))

    def of_products(self, products: Floats) -> Floats:
        """Kernel values from products of rows; for "rbf", from their squared distances."""
        if self.name == "rbf":
            exponents = np.ascontiguousarray(-self.gamma * products)
            dense.exp_negative(exponents.reshape(-1))
            return exponents
        if self.name == "polynomial":
            base = self.gamma * products + self.coef0
            power = base.copy()
            for _ in range(1, self.degree):  # much faster than a power
                power *= base
            return np.asarray(power)
        if self.name == "sigmoid":
            return np.asarray(np.tanh(self.gamma * products + self.coef0))
        if self.name == "precomputed":
            raise ModelError("a precomputed kernel has no formula; its values are given with the rows")
        return products

    def describe(self) -> str:
        """Return the formula."""
        times = "" if self.gamma == 1 else f"{self.gamma:.4g} "
        plus = f" + {self.coef0:.4g}" if self.coef0 else ""
        if self.name == "polynomial":
            return f"({times}x·y{plus})^{self.degree}"
        if self.name == "sigmoid":
            return f"tanh({times}x·y{plus})"
        return {"linear": "x·y", "rbf": f"exp(-{self.gamma:.4g} |x - y|²)", "precomputed": "given"}[self.name]

    def validate(self) -> None:
        """Check the values; raise a `ModelError` if they are wrong."""
        if self.name not in KERNELS:
            msg = f"the kernel is {self.name!r}; expected one of {', '.join(KERNELS)}"
            raise ModelError(msg)
        if not isinstance(self.degree, int) or not 1 <= self.degree <= MOST_DEGREE:
            msg = f"the kernel's degree is {self.degree!r}; expected a whole number from 1 to {MOST_DEGREE}"
            raise ModelError(msg)
        if not (0 < self.gamma < np.inf and np.isfinite(self.coef0)):
            msg = f"gamma and coef0 are {self.gamma!r} and {self.coef0!r}; expected numbers, the first above zero"
            raise ModelError(msg)
