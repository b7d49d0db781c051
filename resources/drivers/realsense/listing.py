"""Prints which RealSense cameras are plugged in, for `pilothouse doctor`; a program of its own."""

from __future__ import annotations

from resources.drivers.realsense.library import library
from resources.drivers.realsense.live_camera import plugged_in

if __name__ == "__main__":
    rs = library()
    print(f"pyrealsense2 {rs.__version__}")
    print("\n".join(map(str, plugged_in(rs.context()))) or "no camera is plugged in")
