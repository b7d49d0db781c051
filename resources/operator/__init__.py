"""People at phones, headsets and desks: their page, their sessions and their links, in a process of its own.

    page (resources/web/page, operator.html)
      │ https: the page, pairing (pairing.py), signalling; `/ws`: other people's phone page
      │ control link: pose, clutch, sticks up, newest wins ─▶ packets.py ─▶ rings of `HandSample`s
      │               state, wrench, contact down          ◀─ feedback  ◀─ rings of `ArmSample`s
      │               words both ways, reliable            ─▶ console's server in the main process
      │ media link: one camera's cloud
    main.py puts these together; `protocol.py` and `packets.py` are what page and process say to each other;
    `orders.py` is what the owner says to the process; what the process says to its owner is its handle.

* The way in: `server` (one port, at the places of `resources.web`; headers of `page_headers`),
  `entrance` (pairing by `pairing`, secrets of `sessions`), `signalling` (offers and answers).
* Who is there: `operators`, `present` (a session's hands, link, words and seat), `console_link` (words to the
  main process and back), `scene_part` (what pages draw), `memory_file` (who may come back after a restart).
* Links: `links` and what it is made of; `cloud_source` (the newest cloud, prepared once for all pages),
  `cloud_stream` (sent to one page); `spes`, `spes_link`: the open SpesRobotics phone page.

Nothing here decides whether an arm may move: a control loop does (`resources.controllers.clutch`).
"""
