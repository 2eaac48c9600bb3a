"""Formats of files other than delimited text and Arrow; `hornbeam.data.opening` recognizes them.

arff: ARFF files.
arff_rows: the rows of ARFF files.
several: several files with the same columns become one Table.
cells: rows of values from other formats become delimited text, so that their kinds are found as those of CSV files are.
excel: sheets of Excel and OpenDocument workbooks.
json_rows: JSON and JSON Lines.
database: tables of SQLite and DuckDB databases, which are only read.
archive: files inside zip archives.
xml: XML without entities.
unzip: files compressed by gzip, bzip2, xz and Zstandard.
"""
