"""What people and shells are shown about the commands.

examples: the examples in the help of every command.
fitting: sentences fitted to the width of the terminal.
completing: what a shell completes.
"""
