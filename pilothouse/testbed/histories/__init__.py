"""Histories beside the story of a campaign: what a house seldom comes to, played on parts of it.

Each is a kind of history with its own invariants about what the outside sees: who gets what and in which
order, what comes up and goes down, who is told what and by when, what moves. The seed draws all the rest:
who wants what and when, how long everything takes, what fails. They take milliseconds, so a campaign plays
each of them with many seeds.
"""

from pilothouse.testbed.histories.playing import broken_in, names, play_all, play_few, play_history

__all__ = ["broken_in", "names", "play_all", "play_few", "play_history"]
