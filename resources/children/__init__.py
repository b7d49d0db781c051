"""Child processes: programs that need no vendor's library, how they are started, what all have in common.

    arguments.py     what each child is told, as data
    specs.py         the `ProcessSpec` of each child; imports nothing heavy, for use in the main process
    starting.py      having a child through the registrar
    world.py         the world: steps in real time with its control loops, publishes state and reports
    camera.py        an RGB-D camera looking into the world; its work is in capturing.py
    film.py          a film in the place of a colour camera
    lidar.py         a planar laser scanner in the world
    stitcher.py      scans of a swept scanner → a cloud
    detector.py      pictures of a camera → poses of a marker
    control_port.py  what processes that move share with their manager
    orders.py        what the world child is told while it runs
    failing.py       how any child is made to fail
    controls.py      the control loops of the world: mailboxes in, reports out, and how each fails alone
    scan_reading.py  the scans that guard a base, read where it is moved
    hand_reading.py  the hand that is followed, read there too; ring_news.py: how both are read
    safety.py        emergency stop and the supervisor's heartbeat, looked at in every tick
    complaints.py    telling the owner what is wrong without drowning it
    pacing.py        how many steps are due
    world_files.py   what the world child leaves in the run directory
    world_rings.py   what the world child publishes
    mirror.py        a sensor's copy of the world
    newest_sample.py the newest sample of a stream, never an old one
    turning.py       the main loop of every device

Programs that speak with a device are beside its driver (`resources.drivers`). The physics, the sensors'
models and the detector are elsewhere: `resources.worlds`, `resources.simulation`, `resources.detectors`.
Whether a device is replaced when it fails is decided by managers, never here.
"""
