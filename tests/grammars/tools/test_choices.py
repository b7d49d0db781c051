"""What could stand in a plan just now."""

from __future__ import annotations

from grammars.tools.choices import names_for, states_of
from tests.grammars.kitchen import LANGUAGE, WORLD, Guests


def test_the_names_of_a_parameter_are_those_of_its_list_and_of_the_world() -> None:
    names = names_for(LANGUAGE, Guests(people=("anna", "bob"), pots=("kettle",)))
    assert names("serve", "dish") == ("soup_of_day", "stew")
    assert names("serve", "guest") == ("anna", "bob")
    assert names("watch", "pot") == ("kettle",)


def test_where_any_text_will_do_there_are_none() -> None:
    names = names_for(LANGUAGE, WORLD)
    assert names("announce", "text") == names("nobody", "nothing") == ()


def test_states_have_their_arguments_and_quantities_are_none() -> None:
    states = states_of(LANGUAGE)
    assert "said" in states and states["said"] == ("words",)
    assert all("value" not in arguments for arguments in states.values())
