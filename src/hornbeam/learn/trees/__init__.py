"""Decision trees and regression trees.

as_tree: from the arrays of the grower to a Tree.
build: grow, collapse and prune a tree by a recipe, with its trace.
c45: `C45Classifier`.
cart: `CartClassifier` and `CartRegressor`.
choices: conversion of a recipe to the parameters of the grower, and weights of classes.
columns: the columns of a table for the grower, and missing values filled in.
criteria: the split criteria as functions.
grow: grow a tree by a recipe.
id3: `ID3Classifier`.
importance: importance of columns by the gains of their splits.
model_trees: trees with linear equations at their leaves.
optimal: `OptimalTreeClassifier` and `OptimalTreeRegressor`, the best tree of a given depth.
prune: pruning methods.
recipe: `Recipe`, the named choices by which a tree is made.
tree_classifier: `TreeClassifier`, each part of which can be chosen.
tree_complexity: cost-complexity pruning by cross-validation.
tree_learner: base of the tree estimators, with methods of their trees.
tree_recipe: shared code of `TreeClassifier` and `TreeRegressor`.
tree_regressor: `TreeRegressor`, each part of which can be chosen.
valid: which choices of a recipe can be combined.
"""
