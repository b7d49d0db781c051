"""Installations and stages to try things on; part of a checkout.

`installation_stage.py` is an installation in this process with the processes below it,
`virtual_installation.py` one on the virtual clock whose processes are simulated (`virtual_*.py`). Arm and
hand stages run control laws in step with the physics; consoles and browsers are driven from outside.
`pilothouse scenario`, the experiments and the tests use them; `framework.testing` is what plugin authors use.
"""
