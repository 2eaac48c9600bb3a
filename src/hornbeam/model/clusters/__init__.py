"""Clusterings: partitions, mixtures, dendrograms, concept trees."""
