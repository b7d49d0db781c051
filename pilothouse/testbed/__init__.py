"""Installations and stages to try things on: part of a checkout, as the experiments and tests that use it.

`installation_stage.py` is an installation in this process with the processes below it,
`virtual_installation.py` one on the virtual clock whose processes are scripted (`virtual_*.py`); of an
installed package only `pilothouse scenario` uses these. Arm and hand stages run control laws in step with
the physics; consoles and browsers are driven from outside. Plugin authors test with `framework.testing`.
"""
