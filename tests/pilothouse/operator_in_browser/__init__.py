"""The operator takes the arm, end to end: console, page, links, control loop and world, all of them real.

Phones, headsets and what lies on desks are emulated in a headless Chromium. All stories share one
installation and one browser; each begins with the arm at home, and ends with nobody there and nothing
running.
With `--pictures FOLDER` the screenshots of the docs are written there.
"""
