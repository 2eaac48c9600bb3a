"""Support vector machines as text."""
