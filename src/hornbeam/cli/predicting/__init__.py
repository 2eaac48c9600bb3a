"""The modules of `hornbeam predict`, besides the command.

predicted: predictions as one table and as JSON.
explaining: ``--explain``.
judging: scores and the verdict, if the target is known.
streaming: large CSV files in parts.
"""
