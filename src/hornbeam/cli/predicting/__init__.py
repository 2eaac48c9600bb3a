"""What `hornbeam predict` is made of, beside the command.

predicted: predictions as one table and as JSON.
explaining: ``--explain``.
judging: scores and the verdict, where the target is known.
streaming: large CSV files in parts.
"""
