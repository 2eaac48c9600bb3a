"""What other programs do, for `compat`."""
