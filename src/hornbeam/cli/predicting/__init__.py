"""The modules of `hornbeam predict`, besides the command.

predicted: predictions as one table and as JSON.
explaining: ``--explain``.
judging: scores and the verdict, if the target is known.
streaming: large CSV files in parts.
spool: predictions of a large file in parts, on disk, for formats that need to know all of them.
"""
