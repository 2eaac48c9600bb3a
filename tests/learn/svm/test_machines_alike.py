"""A support vector machine does not depend on the processor, although libraries sum in another order on each."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
import hashlib, hornbeam, numpy as np
learned = hashlib.sha256()
for name, make in (
    ("iris", lambda: hornbeam.SVMClassifier(kernel="linear", probability=True, random_state=0)),
    ("iris", lambda: hornbeam.SVMClassifier(kernel="rbf", gamma=0.5, C=10)),
    ("iris", lambda: hornbeam.SVMClassifier(kernel="polynomial")),
    ("cpu", lambda: hornbeam.SVMRegressor(kernel="linear")),
    ("cpu", lambda: hornbeam.SVMRegressor(C=100)),
):
    model = make().fit(hornbeam.read(name)).model_
    for array in (model.coefficients, model.intercepts, model.decisions(hornbeam.read(name))):
        learned.update(np.ascontiguousarray(array).tobytes())
print(learned.hexdigest())
"""


def learned_on(processor: str) -> str:
    """What is learned where NumPy and SciPy compute as on another processor (OpenBLAS, which they bring, can do so)."""
    environment = os.environ | {"OPENBLAS_CORETYPE": processor}
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM], env=environment, check=True, capture_output=True, text=True
    ).stdout


def test_the_same_machine_is_learned_on_every_processor() -> None:
    assert learned_on("Prescott") == learned_on("Haswell") == learned_on("SkylakeX")
