"""Learning from neighbors: the rows themselves are the model."""
