"""Trees, forests and boosting of other programs.

catboost_forests: boosting of CatBoost
draft: nodes in any order, and the `Tree` they make
forests: several drafts, and the `Forest` they make
lightgbm_trees: boosters of LightGBM and their trees
sklearn_models: trees, forests and boosting of scikit-learn
sklearn_trees: trees of scikit-learn
xgboost_forests: boosting of XGBoost
"""
