# The public names and where they live: read by type checkers, and by `__init__.py` when it is imported.

from hornbeam.model.imported.lightgbm_trees import from_lightgbm as from_lightgbm
from hornbeam.model.imported.sklearn_trees import from_sklearn as from_sklearn
