"""The edges of a UMRF graph, from what its actions say about one another.

A file says each relation twice, at the parent (`children`: new names) and at the child (`parents`: whether it
waits, and what it does). What only one of them says counts as well, and that is noted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from framework.plan.graph import ENTRY, EXIT, Edge, Ended, Response
from framework.plan.umrf.decoding import Problems, inside, shown
from framework.plan.umrf.fields import Action, Relation, read_relations
from framework.plan.umrf.parameters import OURS

#: Where things stand in a file: node ids and "a_0 → b_0" with their JSON paths.
Paths = dict[str, str]
_Pair = tuple[str, str]
_MOST_SHOWN = 12


class Nodes:
    """The actions of one graph by their ids, and the edges that their relations say."""

    def __init__(
        self, actions: list[Action], data: Mapping[str, Any], path: str, is_older: bool, problems: Problems
    ) -> None:
        self._data = data
        self._path = path
        self._is_older = is_older
        self._problems = problems
        self.by_id: dict[str, Action] = {}
        self.unsaid: set[_Pair] = set()
        self.edge_paths: Paths = {}
        self._ids: dict[tuple[str, int], str] = {}
        is_shallow = is_older and all(action.mode is None for action in actions)
        if is_shallow and actions:
            problems.note(path, "no action says its effect; all are taken for synchronous")
        for action in actions:
            if action.mode is None and not is_shallow:
                needed = (
                    "effect: synchronous or asynchronous" if is_older else "type: sync, async or spontaneous"
                )
                problems.add(action.path, "it does not say how it runs", f"needed is {needed}")
            self._add(action, is_shallow)

    def _add(self, action: Action, is_shallow: bool) -> None:
        if action.name in (ENTRY, EXIT):
            self._problems.add(
                action.path, f"{action.name} is the graph's own name", "allowed is another one"
            )
        node_id = f"{action.name}_{action.instance}"
        own = action.ours.get("id")
        if own is not None and (not isinstance(own, str) or not own or own in (ENTRY, EXIT)):
            self._problems.add(
                inside(action.path, OURS), f"id: {shown(own)}", "allowed is a name that is not taken"
            )
        elif own is not None:
            node_id = own
        key = (action.name, action.instance)
        if key in self._ids or node_id in self.by_id:
            other = self.by_id[self._ids.get(key, node_id)].path
            came = f"{action.name} with instance {action.instance} stands at {other} already"
            self._problems.add(action.path, came, "give it another instance_id")
            return
        is_root = action.name.lower() == "root" and not action.inputs and not action.parents
        if is_shallow and is_root and ENTRY not in self.by_id:
            self._problems.note(
                action.path, "Root is taken for the beginning of the graph, not for an action"
            )
            self._ids[key] = ENTRY
            self.by_id[ENTRY] = action  # until the edges are known
            return
        self._ids[key] = node_id
        self.by_id[node_id] = action

    def edges(self) -> list[Edge]:
        """All edges, those of the graph's beginning and end as well."""
        found: dict[_Pair, Edge] = {}
        by_child: dict[_Pair, Relation] = {}
        by_parent: dict[_Pair, Relation] = {}
        for node_id, action in self.by_id.items():
            for relation in action.parents or ():
                self._note_down(by_child, self._id(relation), node_id, relation)
            for relation in action.children or ():
                self._note_down(by_parent, node_id, self._id(relation), relation)
        self._ends(by_child, by_parent)
        self.by_id.pop(ENTRY, None)
        for pair in {**by_child, **by_parent}:
            found[pair] = self._edge(pair, by_child.get(pair), by_parent.get(pair))
        self._begin_and_end(found)
        return list(found.values())

    def _ends(self, by_child: dict[_Pair, Relation], by_parent: dict[_Pair, Relation]) -> None:
        for key, table in (("graph_entry", by_parent), ("graph_exit", by_child)):
            if key not in self._data:
                continue
            for relation in read_relations(self._data[key], inside(self._path, key), self._problems):
                other = self._id(relation)
                parent, child = (ENTRY, other) if key == "graph_entry" else (other, EXIT)
                self._note_down(table, parent, child, relation)

    def _note_down(
        self,
        table: dict[_Pair, Relation],
        parent: str | None,
        child: str | None,
        relation: Relation,
    ) -> None:
        if parent is None or child is None:
            return
        if (parent, child) in table:
            self._problems.add(relation.path, f"{parent} → {child} is said more than once", "say it once")
            return
        table[parent, child] = relation
        self.edge_paths.setdefault(f"{parent} → {child}", relation.path)

    def _id(self, relation: Relation) -> str | None:
        """The node that a relation means; None if there is none."""
        if relation.name in (ENTRY, EXIT):
            return relation.name
        numbers = [number for name, number in self._ids if name == relation.name]
        number = relation.instance
        if number is None:
            number = numbers[0] if len(numbers) == 1 else 0
        found = self._ids.get((relation.name, number))
        if found is None:
            names = [f"{name} {number}" for name, number in sorted(self._ids)]
            more = ["…"] if len(names) > _MOST_SHOWN else []
            known = ", ".join(names[:_MOST_SHOWN] + more) or "none"
            came = f"there is no action {relation.name!r} with instance {number}"
            self._problems.add(relation.path, came, f"in this graph are {known}")
        return found

    def _edge(self, pair: _Pair, child: Relation | None, parent: Relation | None) -> Edge:
        """One edge of what its child (`parents`) and its parent (`children`) say about it."""
        relations = [each for each in (child, parent) if each is not None]
        path = relations[0].path
        is_end = ENTRY in pair or EXIT in pair
        if len(relations) == 1 and not is_end and not self._is_one_sided_form():
            side = "parent" if child is None else "child"
            self._problems.note(path, f"only the {side} says that {pair[0]} leads to {pair[1]}; it counts")
        responses: dict[Ended, Response] = {}
        remap: dict[str, str] = {}
        for each in relations:
            for ended, response in each.responses.items():
                if responses.setdefault(ended, response) is not response:
                    came = f"parent and child say different things about {ended}"
                    self._problems.add(each.path, came, "say it once, at the child")
            for name, to in each.remap.items():
                if remap.setdefault(name, to) != to:
                    self._problems.add(each.path, f"{name!r} gets more than one new name", "say one")
        if any(each.stops for each in relations):
            responses = {Ended.TRUE: Response.STOP, Ended.FALSE: Response.STOP} | responses
        required = next((each.required for each in relations if each.required is not None), None)
        if required is None:
            self.unsaid.add(pair)
            # A child that lists its parents, and not this one, does not wait for it.
            listed = self.by_id[pair[1]].parents is not None if pair[1] in self.by_id else False
            required = not (child is None and listed and not is_end)
        if any(each.stops for each in relations):
            required = False
        edge = Edge(*pair, required, remap=remap)
        return msgspec.structs.replace(
            edge, **{str(ended): response for ended, response in responses.items()}
        )

    def _is_one_sided_form(self) -> bool:
        """Whether the file says relations on one side only throughout: then that is its way."""
        lists = [(action.parents, action.children) for action in self.by_id.values()]
        return all(not parents for parents, _ in lists) or all(not children for _, children in lists)

    def _begin_and_end(self, found: dict[_Pair, Edge]) -> None:
        """Where a file does not say it: the nodes without parents begin, those without children end."""
        inner = [pair for pair in found if ENTRY not in pair and EXIT not in pair]
        if "graph_entry" not in self._data and not any(parent == ENTRY for parent, _ in found):
            for node_id, action in self.by_id.items():
                if action.is_first or not any(child == node_id for _, child in inner):
                    found[ENTRY, node_id] = Edge(ENTRY, node_id)
        else:
            for node_id, action in self.by_id.items():
                if action.is_first:
                    found.setdefault((ENTRY, node_id), Edge(ENTRY, node_id))
        if "graph_exit" in self._data or any(child == EXIT for _, child in found):
            return
        for node_id in self.by_id:
            if not any(parent == node_id for parent, _ in inner):
                stopped = any(Response.STOP in found[pair].responses for pair in inner if pair[1] == node_id)
                on_stopped = Response.RUN if stopped else Response.IGNORE
                found[node_id, EXIT] = Edge(node_id, EXIT, on_stopped=on_stopped)
        if len(self.by_id) > 1 and not self._is_older:
            self._problems.note(
                self._path, "it does not say graph_exit; it ends with the nodes without children"
            )
