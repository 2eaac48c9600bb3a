"""Models and decisions as text: one module a form, `styles.py` chooses."""
