"""Charts: what they have in common, and those that say one thing."""
