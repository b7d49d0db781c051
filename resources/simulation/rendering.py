"""Finds a way to draw without a display: EGL, else OSMesa. Imports no MuJoCo and draws nothing.

`choose_gl` belongs at the very start of a process that renders: MuJoCo and PyOpenGL read the choice
from the environment when they are first used, and cannot change it later in the same process.
"""

from __future__ import annotations

import ctypes
import os
from enum import Enum

from framework.errors import RenderingUnavailable

PACKAGES = "libegl1 libegl-mesa0 libosmesa6 libgl1-mesa-dri"


class GlBackend(Enum):
    """How MuJoCo makes its OpenGL context; the value is what `MUJOCO_GL` takes."""

    EGL = "egl"
    OSMESA = "osmesa"


def choose_gl() -> GlBackend:
    """Pick the first back end that can make a context here, and set it for MuJoCo in this process.

    A choice made in `MUJOCO_GL` is respected, and tried. Probing takes 0.02 to 0.2 s, most of which
    the renderer's own start then saves.

    Raises:
        RenderingUnavailable: none works; the message names the packages to install.
    """
    asked = os.environ.get("MUJOCO_GL", "").strip().lower()
    if asked and asked not in {backend.value for backend in GlBackend}:
        raise RenderingUnavailable(
            f"MUJOCO_GL is {asked!r}; sensors draw without a display: unset it, or use 'egl' or 'osmesa'"
        )
    reasons = []
    for backend, probe in ((GlBackend.EGL, _probe_egl), (GlBackend.OSMESA, _probe_osmesa)):
        if asked and asked != backend.value:
            continue
        reason = probe()
        if reason is None:
            os.environ["MUJOCO_GL"] = backend.value
            # PyOpenGL takes its own variable; a left-over one of another kind would stop MuJoCo's import.
            os.environ["PYOPENGL_PLATFORM"] = backend.value
            return backend
        reasons.append(f"{backend.value}: {reason}")
    raise RenderingUnavailable(
        f"no OpenGL context can be made ({'; '.join(reasons)}). Install: apt install {PACKAGES}"
    )


_EGL_PLATFORM_DEVICE = 0x313F
_EGL_OPENGL_API = 0x30A2
_EGL_CONFIG = (0x3033, 0x0001, 0x3040, 0x0008, 0x3025, 24, 0x3038)  # pbuffer, OpenGL, depth 24, end
_OSMESA_RGBA = 0x1908


def _probe_egl() -> str | None:
    """Why EGL does not work without a display, or None if it does."""
    try:
        egl = ctypes.CDLL("libEGL.so.1")
    except OSError as error:
        return str(error)
    egl.eglGetProcAddress.restype = ctypes.c_void_p
    egl.eglGetProcAddress.argtypes = [ctypes.c_char_p]
    query = egl.eglGetProcAddress(b"eglQueryDevicesEXT")
    display_of = egl.eglGetProcAddress(b"eglGetPlatformDisplayEXT")
    if not query or not display_of:
        return "libEGL has no device platform"
    devices = (ctypes.c_void_p * 8)()
    count = ctypes.c_int32()
    query_devices = ctypes.CFUNCTYPE(
        ctypes.c_uint, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_int32)
    )(query)
    if not query_devices(len(devices), devices, ctypes.byref(count)) or not count.value:
        return "no EGL device (no GPU and no Mesa driver)"
    get_display = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p)(
        display_of
    )
    for device in devices[: count.value]:
        display = ctypes.c_void_p(get_display(_EGL_PLATFORM_DEVICE, device, None))
        if display.value and egl.eglInitialize(display, None, None) and _egl_context_works(egl, display):
            return None
    return "no EGL device makes an OpenGL context"


def _egl_context_works(egl: ctypes.CDLL, display: ctypes.c_void_p) -> bool:
    attributes = (ctypes.c_int32 * len(_EGL_CONFIG))(*_EGL_CONFIG)
    config, found = ctypes.c_void_p(), ctypes.c_int32()
    egl.eglCreateContext.restype = ctypes.c_void_p
    if (
        not egl.eglChooseConfig(display, attributes, ctypes.byref(config), 1, ctypes.byref(found))
        or not found.value
    ):
        return False
    if not egl.eglBindAPI(_EGL_OPENGL_API):
        return False
    context = egl.eglCreateContext(display, config, None, None)
    if context:
        egl.eglDestroyContext(display, ctypes.c_void_p(context))
    # The display stays initialised: MuJoCo opens the same one next, and terminating it here would
    # take it from under a renderer that this process may already have.
    return bool(context)


def _probe_osmesa() -> str | None:
    """Why OSMesa does not work, or None if it does."""
    try:
        mesa = ctypes.CDLL("libOSMesa.so.8")
    except OSError as error:
        return str(error)
    mesa.OSMesaCreateContextExt.restype = ctypes.c_void_p
    context = mesa.OSMesaCreateContextExt(_OSMESA_RGBA, 24, 8, 0, None)
    if not context:
        return "libOSMesa makes no context (is libgl1-mesa-dri installed?)"
    mesa.OSMesaDestroyContext(ctypes.c_void_p(context))
    return None
