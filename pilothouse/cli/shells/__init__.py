"""Completion in shells: one description of the command line (`words.py`), a script for each shell.

Commands and options are written into the script, so that completing them starts no Python; after
`pilothouse say` the words come from `pilothouse complete --shell`.
"""
