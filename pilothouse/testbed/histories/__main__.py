"""`python -m pilothouse.testbed.histories [NAME …] --seed N --seeds M` plays them alone.

Exit code 1 if one does not hold.
"""

from __future__ import annotations

import argparse
import difflib
import sys

from pilothouse.testbed.histories.playing import names, play_history


def main(arguments: list[str]) -> int:
    """Play, and print what does not hold."""
    parser = argparse.ArgumentParser(prog="python -m pilothouse.testbed.histories", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all, or some of {', '.join(names())}")
    parser.add_argument("--seed", type=int, default=0, help="the first one (0)")
    parser.add_argument("--seeds", type=int, default=1, help="so many, one after the other (1)")
    wishes = parser.parse_args(arguments)
    if unknown := set(wishes.names) - set(names()):
        near = {each for name in unknown for each in names() if name in each}
        near |= {each for name in unknown for each in difflib.get_close_matches(name, names(), n=3)}
        parser.error(
            f"there is no history named {', '.join(sorted(unknown))}; "
            f"{', '.join(sorted(near)) or 'see --help for those that there are'}"
        )
    found = [
        broken
        for seed in range(wishes.seed, wishes.seed + wishes.seeds)
        for name in wishes.names or names()
        if (broken := play_history(name, seed)) is not None
    ]
    for broken in found:
        print(f"{broken.breach.value}: {broken.words}")
    print(f"{wishes.seeds * len(wishes.names or names())} histories, {len(found)} did not hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
