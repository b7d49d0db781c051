"""ROS 2 over our bridge beside plain rclpy in the same run, and how soon a failure there is known.

    links.py     topics, services and actions; what a bridge that dies doubles
    house.py     the managers that this takes
    far_side.py  other people's programs: plain rclpy

It takes rclpy (`make ros`), and speaks on loopback only, in a domain of its own.
"""

from __future__ import annotations

from framework.loop_lag import LoopLag
from pilothouse.experiments.definition import Figures, Progress
from pilothouse.experiments.ros2.house import house
from pilothouse.experiments.ros2.links import HURT, KILLS, measure_failures, measure_links


async def measure(progress: Progress, seed: int) -> Figures:
    """All figures. Raises ResourceUnavailable, with what to do, without rclpy."""
    async with LoopLag(0.005) as lag, house() as home:
        figures = await measure_links(home, progress)
        figures |= await measure_failures(home, progress)
    figures["loop_lag_ms_p99"] = lag.quantile_ms(0.99)
    return figures


__all__ = ["HURT", "KILLS", "measure"]
