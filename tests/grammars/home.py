"""The household of `home.yaml`, and its language: what its tests share."""

from __future__ import annotations

from pathlib import Path

from grammars.domain import read_domain
from tests.grammars.compiled_later import CompiledLater

HOME = Path(__file__).with_name("home.yaml")
DOMAIN = read_domain(HOME)
LANGUAGE = CompiledLater(DOMAIN.actions, conditions=DOMAIN.conditions)
