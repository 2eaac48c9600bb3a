"""Trees of other programs, read into `Tree`."""
