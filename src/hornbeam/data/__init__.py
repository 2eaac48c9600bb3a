"""Tables: files, data frames and arrays become a typed `Table`; example sets; a first look at a table.

schema: names, kinds and roles of columns.
table: the table of typed columns that every learner reads.
read: reading a table from a path, an example's name, a data frame or an array.
csv: delimited text.
sniff: delimiter, quote and header of delimited text, guessed from its first block.
codes: columns of codes such as 007 in delimited text.
encoding: the encoding of a text file.
infer: kinds of columns that the source leaves open, and changing a kind.
dates: dates as numbers.
arff: ARFF files.
arff_rows: the rows of ARFF files.
arrow: Arrow tables.
frame: data frames, Parquet and Feather files.
array: NumPy arrays.
unzip: gzipped files.
write: writing CSV, ARFF, Parquet and Feather files.
replacing: files that are replaced only when they are complete.
examples: the example sets that come with the package.
examine: a description of a table, and warnings about it.
indices: index arrays: offsets, and checks of those given by callers.
weights: limits of row weights.
in_words: counts, fractions and names as text.
errors: the error that readers raise, and quoting of names in messages.
"""
