"""Ways of a base over the floor, through what its scanners see to be free: pure geometry.

    floor.py    what is seen of the floor now: free, taken, or not seen; and what is not seen is not free
    stands.py   where the base can stand at a goal
    search.py   the shortest way over the floor for a base that may turn anywhere on it, and its corners cut
    ways.py     the legs to a goal, or why there are none

Nothing here reads a stream, knows a clock or moves anything: `managers/routes.py` does the first,
`actions/drive_to` the last. Lengths in m, angles in rad, in the fixed frame of scans and odometry.
"""
