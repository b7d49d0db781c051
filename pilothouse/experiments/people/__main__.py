"""What becomes of each sentence of a set: `python -m pilothouse.experiments.people SET [BEGIN ...]`.

SET is a name of `SETS`, or a file of trials; BEGIN the first letters of the ids that are wanted. Of what is
held back only the figures are shown.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import track

from framework.errors import DescriptionError
from pilothouse.experiments.language.lab import our_lab
from pilothouse.experiments.people import HELD_BACK, SETS, known, shares
from pilothouse.experiments.people.judge import Judged, Verdict, judge
from pilothouse.experiments.people.notation import written
from pilothouse.experiments.people.talk import come_of
from pilothouse.experiments.people.trials import DATA, read

_SETS = f"{', '.join(SETS)}, or a file of trials"


def main() -> int:
    """Print them. Returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m pilothouse.experiments.people", description=__doc__.splitlines()[0]
    )
    parser.add_argument("set", metavar="SET", help=_SETS)
    parser.add_argument("begins", metavar="BEGIN", nargs="*", help="the first letters of ids")
    parser.add_argument("--all", action="store_true", help="also what is right")
    given = parser.parse_args()
    there = DATA / f"{given.set}.jsonl"
    try:
        trials = read(there if there.exists() else Path(given.set))
    except (DescriptionError, OSError) as error:
        print(f"{error}; SET is {_SETS}", file=sys.stderr)
        return 2
    if given.begins:
        trials = tuple(each for each in trials if each.id.startswith(tuple(given.begins)))
    knows = known(our_lab())
    found: list[Judged] = []
    progress = Console(stderr=True)
    for trial in track(trials, given.set, console=progress, disable=not sys.stderr.isatty()):
        found.append(judge(trial, come_of(trial), knows))
        if given.set not in HELD_BACK and (given.all or found[-1].verdict is not Verdict.RIGHT):
            print(_lines(found[-1]))
    for name, figure in shares("all", found).items():
        print(f"{name}: {figure:.4g}")
    return 0


def _lines(judged: Judged) -> str:
    trial, came = judged.trial, judged.came
    kind = judged.verdict.value.upper() + (" NEVER" if judged.never else "")
    if judged.verdict is Verdict.REFUSED:
        kind += f" {'untrue' if judged.is_untrue else 'helpful' if judged.helps else 'unhelpful'}"
    lines = [f"{trial.id} [{kind}] {' / '.join((*trial.before, trial.say))!r} {judged.why}"]
    lines.append(f"    wanted: {' | '.join(str(each) for each in trial.right)}")
    lines += [f"    begun: {written(each)}" for each in came.begun]
    lines += [f"    asked: {each}" for each in came.asked]
    lines += [f"    offered: {written(each)}" for each in came.offered]
    lines += [f"    refused ({came.kind}): {each}" for each in came.refused]
    lines += [f"    answered: {each}" for each in came.answered]
    if trial.all_ends and judged.verdict is Verdict.WRONG:
        lines += [
            f"    ends: {each.device} {came.began.get(each.device)} -> {came.ended.get(each.device)}"
            for each in trial.all_ends
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
