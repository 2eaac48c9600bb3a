"""The command line: ``hornbeam learn | predict | show | schemes | data``.

Everything heavy is imported inside the commands, so that help answers at once.
"""
