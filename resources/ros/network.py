"""How far our processes reach into ROS 2: a domain, and whom they speak with. Written down as environment.

Nothing is sent by multicast, nor to any other machine, unless the robot description says so: `range:
subnet`, or `peers`. Loopback is kept by a profile for Fast DDS, because ROS's own setting for it
listens to all interfaces, and leaves files in shared memory (docs/ros2.md).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from framework.errors import DescriptionError
from framework.processes.spec import EnvPairs
from resources.robots.description import MOST_DOMAIN, RosDescription
from resources.types.ros import SIM_TIME_VARIABLE

DOMAIN_VARIABLE: Final = "ROS_DOMAIN_ID"

_PROFILE: Final = """<?xml version="1.0" encoding="UTF-8" ?>
<profiles>
  <transport_descriptors>
    <transport_descriptor>
      <transport_id>loopback</transport_id>
      <type>UDPv4</type>
      <maxInitialPeersRange>32</maxInitialPeersRange>
      <interfaceWhiteList><address>127.0.0.1</address></interfaceWhiteList>
    </transport_descriptor>
  </transport_descriptors>
  <participant profile_name="loopback" is_default_profile="true">
    <rtps>
      <userTransports><transport_id>loopback</transport_id></userTransports>
      <useBuiltinTransports>false</useBuiltinTransports>
      <builtin>
        <avoid_builtin_multicast>true</avoid_builtin_multicast>
        <initialPeersList>
          <locator><udpv4><address>127.0.0.1</address></udpv4></locator>
        </initialPeersList>
      </builtin>
    </rtps>
  </participant>
</profiles>
"""
_PROFILE_VARIABLES: Final = {"jazzy": "FASTRTPS_DEFAULT_PROFILES_FILE"}
"""By which variable a distribution is told of its profile; those after it complain of Jazzy's."""

_PROFILE_VARIABLE: Final = "FASTDDS_DEFAULT_PROFILES_FILE"


def domain_of(described: RosDescription, environment: Mapping[str, str] = os.environ) -> int:
    """The domain that is described, else the environment's, else 0. Raises DescriptionError for none."""
    if described.domain is not None:
        return described.domain
    named = environment.get(DOMAIN_VARIABLE, "").strip() or "0"
    if not named.isdecimal() or int(named) > MOST_DOMAIN:
        raise DescriptionError(
            f"{DOMAIN_VARIABLE} is {named!r}; a domain is a number from 0 to {MOST_DOMAIN}: correct the "
            "variable, or write it into the robot description: ros: {domain: 0}"
        )
    return int(named)


def reach_of(described: RosDescription, folder: Path, distribution: str, middleware: str) -> EnvPairs:
    """The environment of a process of this distribution that joins. folder: of the run; its logs go there.

    middleware: ROS's name of it, "rmw_fastrtps_cpp".

    Raises DescriptionError as `domain_of`, OSError if nothing can be written there.
    """
    home = folder / "ros"
    home.mkdir(exist_ok=True)
    pairs = {
        DOMAIN_VARIABLE: str(domain_of(described)),
        "ROS_LOG_DIR": str(home / "log"),
        "ROS_STATIC_PEERS": ";".join(described.peers),
        "ROS_LOCALHOST_ONLY": "0",  # what it was before the next one came
        "ROS_AUTOMATIC_DISCOVERY_RANGE": described.range.upper(),
        # Set by whoever started us from such an environment, it would keep theirs from being set up.
        "_ROS_WHEELS_BOOTSTRAP_COMPLETE": "",
    }
    if described.sim_time:
        pairs[SIM_TIME_VARIABLE] = "1"
    if described.is_loopback and "fastrtps" in middleware:
        # ROS's own range would add other transports to those of the profile.
        pairs["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "SYSTEM_DEFAULT"
        profile = home / "loopback.xml"
        profile.write_text(_PROFILE)
        pairs[_PROFILE_VARIABLES.get(distribution, _PROFILE_VARIABLE)] = str(profile)
    return tuple(sorted(pairs.items()))
