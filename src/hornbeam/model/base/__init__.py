"""What every model shares: conditions, decisions, errors, and rows made ready."""
