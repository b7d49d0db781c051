"""The resource access layer, floor by floor; each imports only those below it (pyproject.toml).

console, operator    servers of people's pages
web                  the web server that both share; the pages (TypeScript) in web/page
drivers              what managers open: one device's driver in one folder, or file
children             the world's process, and programs that need no vendor's library
worlds, detectors, robots, fci_sim, testing, twin, simulation, controllers, arms
                     models and laws: pure, but for the simulated control box
types                requests, handles and clients that everyone exchanges
"""
