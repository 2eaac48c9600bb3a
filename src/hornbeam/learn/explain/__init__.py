"""What explains a model: distillation, stable splits, importance, proximity."""
