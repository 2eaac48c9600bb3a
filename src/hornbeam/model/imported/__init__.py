"""Trees, forests and boosting of other programs.

catboost_forests: boosting of CatBoost
draft: nodes in any order, converted to a `Tree`
forests: several drafts, converted to a `Forest`
leaves: trees of formats that have only predictions at leaves
lightgbm_trees: boosters of LightGBM and their trees
onnx_trees: trees in ONNX graphs
own_graphs: ONNX graphs that hornbeam wrote
pmml_chains: forests and boosting in PMML that hornbeam wrote
pmml_nodes: nodes of PMML trees
pmml_predicates: predicates of PMML trees
pmml_trees: trees in PMML files
sklearn_models: trees, forests and boosting of scikit-learn
sklearn_trees: trees of scikit-learn
xgboost_forests: boosting of XGBoost
ydf_forests: forests and boosting of YDF
files: files of other programs, by their ending
"""
