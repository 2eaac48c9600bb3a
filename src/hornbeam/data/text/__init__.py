"""Delimited text (CSV, TSV and the like): how a file is written, and how its columns become numbers and categories.

csv: delimited text becomes a Table.
sniff: delimiter, quote, first line and header of delimited text, guessed from its first block.
start: where the table starts (skipped lines, comments, titles), and columns of codes such as 007.
tidy: rulers and rows without a value, which are left out; columns separated by spaces.
bad_rows: rows with too many or too few cells.
"""
