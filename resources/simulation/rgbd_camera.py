"""A colour and depth camera: draws a model's camera once and reads both pictures from that one drawing.

Uses MuJoCo's renderer functions themselves: its `Renderer` class draws twice, once for colour and
once for depth, which is most of the time a sensor process has.
"""

from __future__ import annotations

from importlib import import_module
from types import TracebackType
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from framework.errors import DescriptionError, RenderingUnavailable
from resources.simulation.intrinsics import D435_848X480, D435_FARTHEST_M, D435_NEAREST_M, Intrinsics
from resources.simulation.rendering import choose_gl

# Camera frame of computer vision (x right, y down, z forward) in that of OpenGL (x right, y up, z back).
_GL_T_OPTICAL = np.diag([1.0, -1.0, -1.0, 1.0])


class Frame(NamedTuple):
    """One exposure. `depth` is the z coordinate in the optical frame, 0 where nothing was measured."""

    rgb: NDArray[np.uint8]  # (height, width, 3)
    depth: NDArray[np.float32]  # (height, width) [m]
    world_T_camera: NDArray[np.float64]  # (4, 4); optical frame: x right, y down, z forward


class RgbdCamera:
    """Renders one fixed camera; colour is registered to depth. Keeps an OpenGL context: close it."""

    def __init__(
        self,
        model: mujoco.MjModel,
        camera: str,
        intrinsics: Intrinsics = D435_848X480,
        *,
        nearest_m: float = D435_NEAREST_M,
        farthest_m: float = D435_FARTHEST_M,
    ) -> None:
        """
        Args:
            camera: name of a camera of the model, whose field of view must be that of `intrinsics`.
            nearest_m, farthest_m: depth outside reads 0.

        Raises:
            RenderingUnavailable: no OpenGL here.
            DescriptionError: no such camera, another field of view, or larger than the model's buffer.
        """
        self._gl: Any = None
        self._context: Any = None
        self._camera_id = _checked_camera(model, camera, intrinsics)
        self.intrinsics = intrinsics
        self._model = model
        self._nearest_m, self._farthest_m = nearest_m, farthest_m
        self._gl = _make_context(intrinsics.width, intrinsics.height)
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        self._scene = mujoco.MjvScene(model, maxgeom=model.ngeom + 100)
        self._options = mujoco.MjvOption()
        self._view = mujoco.MjvCamera()
        self._view.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._view.fixedcamid = self._camera_id
        self._area = mujoco.MjrRect(0, 0, intrinsics.width, intrinsics.height)
        self._rgb = np.empty((intrinsics.height, intrinsics.width, 3), np.uint8)
        self._depth = np.empty((intrinsics.height, intrinsics.width), np.float32)
        near = model.vis.map.znear * model.stat.extent
        far = model.vis.map.zfar * model.stat.extent
        # Reversed depth buffer b in [0, 1], 0 at the far plane: z = near·far / (near + b (far − near)).
        self._near_far, self._near, self._range = (
            np.float32(near * far),
            np.float32(near),
            np.float32(far - near),
        )

    def capture(self, data: mujoco.MjData) -> Frame:
        """Draw `data` as it stands; its kinematics must be up to date."""
        self._gl.make_current()
        mujoco.mjv_updateScene(
            self._model, data, self._options, None, self._view, mujoco.mjtCatBit.mjCAT_ALL, self._scene
        )
        mujoco.mjr_render(self._area, self._scene, self._context)
        mujoco.mjr_readPixels(self._rgb, self._depth, self._area, self._context)
        depth = self._near_far / (self._near + self._depth[::-1] * self._range)  # OpenGL's rows start below
        depth[(depth < self._nearest_m) | (depth > self._farthest_m)] = 0.0
        return Frame(np.ascontiguousarray(self._rgb[::-1]), depth, camera_pose(data, self._camera_id))

    def close(self) -> None:
        """Free the OpenGL context; may be called twice."""
        if self._context is not None:
            self._context.free()
            self._context = None
        if self._gl is not None:
            self._gl.free()
            self._gl = None

    def __enter__(self) -> RgbdCamera:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def camera_pose(data: mujoco.MjData, camera_id: int) -> NDArray[np.float64]:
    """`world_T_camera` (4, 4) of a model's camera in the optical frame (x right, y down, z forward)."""
    transform = np.eye(4)
    transform[:3, :3] = data.cam_xmat[camera_id].reshape(3, 3)
    transform[:3, 3] = data.cam_xpos[camera_id]
    return transform @ _GL_T_OPTICAL


def depth_to_millimetres(depth: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Depth [m] → [mm] as a D435 delivers it; 0 is "not measured", and so is what 16 bits cannot hold."""
    millimetres = np.rint(depth * np.float32(1000.0))
    millimetres[(millimetres > 65535) | (millimetres < 0)] = 0
    return np.asarray(millimetres, dtype=np.uint16)


def _checked_camera(model: mujoco.MjModel, camera: str, intrinsics: Intrinsics) -> int:
    camera_id = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_CAMERA, camera)
    if camera_id < 0:
        names = ", ".join(sorted(model.camera(number).name for number in range(model.ncam)))
        raise DescriptionError(f"the world has no camera {camera!r}; it has: {names}")
    fov = np.degrees(intrinsics.vertical_fov)
    if abs(model.cam_fovy[camera_id] - fov) > 1e-6:
        raise DescriptionError(
            f"camera {camera!r} has a vertical field of view of {model.cam_fovy[camera_id]:.4f}°, "
            f"the intrinsics ask for {fov:.4f}°; change one of them"
        )
    width, height = model.vis.global_.offwidth, model.vis.global_.offheight
    if intrinsics.width > width or intrinsics.height > height:
        raise DescriptionError(
            f"camera {camera!r} asks for {intrinsics.width}×{intrinsics.height} pixels; "
            f"the world's off-screen buffer has {width}×{height}"
        )
    return int(camera_id)


def _make_context(width: int, height: int) -> Any:
    backend = choose_gl()
    try:
        # By its module, not through `mujoco.GLContext`: that one was fixed when mujoco was imported.
        context = import_module(f"mujoco.{backend.value}").GLContext(width, height)
        context.make_current()
    except (ImportError, RuntimeError, AttributeError) as error:
        raise RenderingUnavailable(f"{backend.value} was found but makes no context: {error}") from error
    return context
