"""Examples of the commands, and shell completion.

examples: the examples in the help of every command.
completing: shell completion.
"""
