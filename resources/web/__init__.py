"""The web server that console and operator share, and their pages.

* Where: `listening` (a port; `port_holder` says who has it), `addresses` and `sites` (which of this machine),
  `places` (all of them, as the network changes), `certificate` (https).
* Who: `connections` (how many, how long), `admission` (origins and tokens), `rate_limit`, `rate_limits`.
* What: `static_files` (the built page), `protocol` and `page_messages` (what pages, programs and operators'
  process say to the main process, and the answers), `samples` and `encoding` (points, pictures, poses).
* `page/`: the pages (TypeScript, Vite, three.js), built into `dist/`: `src/console`, `src/operator`, and what
  they share in `src/scene` and beside it. `scripts/page_protocols.py` writes its half of the protocols.
"""
