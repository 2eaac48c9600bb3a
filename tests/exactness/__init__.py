"""What is exact: every kind of model, learned from every data set, in every format and every runtime.

Run in the folder `tests` as ``python -m exactness`` (about an hour; most of it compilers). The results of every set are
kept in `build/exactness`, so that a run that was stopped goes on where it was; `results.json` holds all of them in
short, and `docs/exactness.py` writes the table of the page docs/export.md from it.

- kinds: the kinds of models, and how each is learned.
- rows: the rows to compare: rows of the set, missing values, categories that were never seen, values on cuts.
- runs: all models of a set in all formats and runtimes.
- results: what is stored, and the table of the page.
"""
