"""A real installation with scripted people instead of links: what a scenario with `play` runs on for real."""

from __future__ import annotations

import msgspec

from framework.processes.spec import ProcessSpec
from pilothouse.installation import Installation
from pilothouse.testbed.installation_stage import InstallationStage
from pilothouse.testbed.people_child import TARGET, Sentence
from resources.operator.spec import NAME


class PeopledInstallation(Installation):
    """Everything is real but who comes with a phone."""

    def _operator_process(self) -> ProcessSpec:
        spec = super()._operator_process()
        *before, _, arguments = spec.argv
        return msgspec.structs.replace(spec, argv=(*before, TARGET, arguments))


class PeopledStage(InstallationStage):
    """What a scenario runs on there."""

    def play(self, sentence: str) -> str:
        """What nobody there can do is told as a warning of the process."""
        self._processes.send(NAME, msgspec.msgpack.encode(Sentence(sentence)))
        return sentence
