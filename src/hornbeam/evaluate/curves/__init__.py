"""How good a model is against something: rows, a parameter, a threshold; and what its errors are made of."""
