"""Rules as text."""
