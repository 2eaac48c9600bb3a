# The public names and where they live: read by type checkers, and by `__init__.py` when it is imported.

from hornbeam.model.imported.catboost_forests import from_catboost as from_catboost
from hornbeam.model.imported.lightgbm_trees import from_lightgbm as from_lightgbm
from hornbeam.model.imported.onnx_trees import from_onnx as from_onnx
from hornbeam.model.imported.pmml_trees import from_pmml as from_pmml
from hornbeam.model.imported.sklearn_models import from_sklearn as from_sklearn
from hornbeam.model.imported.xgboost_forests import from_xgboost as from_xgboost
from hornbeam.model.imported.ydf_forests import from_ydf as from_ydf
