"""Many trees as one model: forests, and ensembles of any models."""
