"""Words of other people as data: what they ask for, and what of it an installation can do.

A pack is a folder with two files.

    commands.yaml   what people ask for, as a domain file (`grammars/domain.py`): names, actions, phrases
    pack.yaml       what becomes of each of its actions here:

        known: {room: [world.places]}           # a list's names, and those that the installation knows
        deeds:
          go:
            say: ["go to {location_room}"]      # the same in words of the installation's own language
            cannot: "get there that way"        # … and what is said to whoever asks for more than that
          take: {cannot: "pick things up"}      # no action of ours can: that is what is said
          count: {cannot: "count", first: true} # … though it is like something of ours

    pack.py         reads both, with every mistake's file and line
    hearing.py      what the words of a pack mean here
    packed.py       an installation's language that hears such words, too

An action is carried out only as what the installation's own language makes of one of its `say`, and only if
that says all that was asked for. So a pack holds nothing that could be run.
"""
