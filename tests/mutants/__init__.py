"""Are the tests of the registrar's core any good? Break the core on purpose, one way at a time, and see.

`catalogue.py` holds the mutations, `__main__.py` applies each to a copy and runs the core's tests there.
"""
