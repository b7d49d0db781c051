"""A digital twin of arms that keeps them out of places: walls, boxes, each other (paper 001, eq 1–3). Pure.

obstacles.py    `Wall`, `NoGoBox`, `Margin`, `Surroundings`: what is kept clear of what, as data
model.py        `TwinModel`: the arms and their surroundings in MuJoCo, with margins around their links
twin.py         `Twin`: coupled to the arms as they are, stopped by what they must not enter; what it feels
barrier.py      the hard backstop: nobody comes closer faster than can still be braked
guard.py        `ArmGuard`: both, for one arm's control law
path.py         whether a straight way enters something, before it is begun
in_the_loop.py  a controller written for a simulation, on an arm
"""
