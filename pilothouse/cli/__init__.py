"""The command line: what a person types, turned into calls to a running installation; no logic of its own."""
