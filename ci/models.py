"""The model of every scheme on small example sets, as one line with a checksum each: the same on every machine.

    python ci/models.py > here.txt      # on one machine
    python ci/models.py > there.txt     # on another
    diff here.txt there.txt

Names of ARFF or CSV files may follow; they are used instead of the example sets.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
import warnings
import zipfile
from pathlib import Path

import hornbeam
from hornbeam.schemes import ALL_SCHEMES, Scheme

SETS = {
    "category": ("weather.nominal", "weather.numeric", "contact-lenses", "iris", "labor", "glass", "vote"),
    "number": ("cpu", "servo", "auto-mpg"),
    "cluster": ("weather.numeric", "iris", "labor"),
}


def checksum(scheme: Scheme, name: str) -> str:
    """Return a checksum of all arrays of the model, as they are in its file."""
    estimator = getattr(hornbeam, scheme.estimator)()
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    if "n_estimators" in estimator.get_params():
        estimator.set_params(n_estimators=20)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model"
        hornbeam.save(estimator.fit(hornbeam.read(name)), file)
        with zipfile.ZipFile(file) as members:
            names = sorted(member for member in members.namelist() if member.endswith(".npy"))
            arrays = [member.encode() + members.read(member) for member in names]
    return hashlib.sha256(b"".join(arrays)).hexdigest()[:16]


def main() -> None:
    """Print one line for each scheme and set."""
    warnings.simplefilter("ignore")
    for scheme in ALL_SCHEMES:
        for name in sys.argv[1:] or SETS[scheme.predicts]:
            try:
                found = checksum(scheme, name)
            except ValueError as error:
                found = f"refused: {error}".splitlines()[0][:60]
            print(f"{scheme.name:20} {scheme.predicts:9} {Path(name).name:16} {found}")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
