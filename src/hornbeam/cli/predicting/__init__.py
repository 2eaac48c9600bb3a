"""What `hornbeam predict` is made of, beside the command.

predicted: predictions as one table and as JSON.
explaining: ``--explain``.
streaming: large CSV files in parts.
"""
