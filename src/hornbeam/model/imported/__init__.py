"""Trees of other programs.

draft: nodes in any order, and the `Tree` they make
lightgbm_trees: trees of LightGBM
sklearn_trees: trees of scikit-learn
"""
