"""Are the tests any good? Break what they are to guard on purpose, one way at a time, and see.

`catalogue.py` holds the mutations, `areas.py` says which tests have to notice those of which files,
`__main__.py` applies each to a copy and runs its area's tests there, and writes docs/mutants.md.
"""
