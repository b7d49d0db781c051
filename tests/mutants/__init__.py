"""Are the tests any good? Break what they are to guard on purpose, one way at a time, and see.

`catalogue.py` holds the mutations, `areas.py` says which tests have to notice those of which files, and
`caught_by.json` which did the last time. `collected.py` collects the tests once, `exchanged.py` exchanges
the code of functions, `mutated.py` imports a module as mutated, `trying.py` runs tests so in a process of its
own, and `__main__.py` tries all of them and writes docs/mutants.md.
"""
