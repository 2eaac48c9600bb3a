"""Tables: files, data frames and arrays become a typed `Table`; example sets; a first look at a table.

columns: columns that are left out, used as dates, or computed from others.
schema: names, kinds and roles of columns.
table: the table of typed columns that every learner reads.
as_table: rows of any kind as a table, with their target.
takes_rows: a decorator for functions of a table, so that they take frames and arrays too.
table_html: a table in a notebook.
read: reading a table from a path, an example's name, a data frame or an array.
opening: files of every format, recognized by their content.
files: formats such as ARFF, workbooks, JSON and databases, and several files at once (a folder).
text: delimited text such as CSV (a folder).
encoding: the encoding of a text file.
infer: kinds of columns that the source leaves open, texts that mean a missing value, and changing a kind.
dates: dates as numbers.
arrow: Arrow tables.
frame: data frames, Parquet and Feather files.
array: NumPy arrays.
write: writing CSV, ARFF, Parquet and Feather files.
replacing: files that are replaced only when they are complete.
examples: the example sets that come with the package.
examine: a description of a table, and warnings about it.
notices: columns that name rows, and what a user should know about a table, printed or as warnings.
indices: index arrays: offsets, and checks of those given by callers.
weights: limits of row weights.
in_words: counts, fractions and names as text.
errors: the error that readers raise, and words of messages: quoted names, options or parameters of Python.
"""
