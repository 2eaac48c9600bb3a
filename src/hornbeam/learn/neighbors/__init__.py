"""Learning from neighbours: the rows themselves are the model."""
