"""LEARN: from a table to a model; estimators, recipes, growers and pruners. No printing, no files."""
