"""What people and shells are shown about the commands.

examples: the examples in the help of every command.
completing: what a shell completes.
"""
