"""What hands show and where they point. Pure but for the programs: `reader_child.py` and the tracker's.

    a camera's picture, in MediaPipe's environment (tracker_library.py)
      │ tracker.py       MediaPipe, on one picture
      │ placing.py       where that hand is before the camera, and where it points if depth was measured
      ▼ tracker_child.py the process that does it (tracker_pipe.py: the same for experiments)
    TrackedHand (resources.types.gestures, 21 points)
      │ landmarks.py its points as an array
      │ palm.py      how large the hand is and where its palm looks; what of the palm was not seen
      │ fingers.py   how far each finger is closed, where the thumb is: the few measures that matter
      │ shapes.py    one picture: which gesture that is, and how sure that is
      │ reading.py   the three of them for one `TrackedHand`: `seen`
      ▼ holding.py   over time: a gesture that was held, once; nothing from frozen, crossing or leaving hands
    Gesture
      │ watching.py      one source: all of this for each of its pictures, and whether it can be believed
      ▼ reader_child.py  the process that does it: a ring of pictures → a ring of readings
    Reading

    TrackedHand, or a device's pose
      │ rays.py      a ray, in the robot's frame
      ▼ offset.py    the same without a person's own bias, once that was measured
    Ray (resources.types.whereabouts), for `managers.pointing`

No gesture moves anything: these are events, and others decide what they mean. The constants of `shapes.py`
were fitted, see `pilothouse.experiments.gesture`.
"""
