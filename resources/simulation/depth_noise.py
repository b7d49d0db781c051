"""D435-like errors on a perfect depth picture. Pure: picture and random generator in, picture out.

A stereo camera measures disparity, d = f·b / z. Its steps (1/32 px) and its noise are uniform in
disparity, so in depth they grow with z². The noise is correlated over the matching window, and
some pixels find no match: at random, and where the depth jumps.
"""

from __future__ import annotations

from statistics import NormalDist

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from resources.simulation.intrinsics import Intrinsics


class StereoNoise(msgspec.Struct, frozen=True):
    """Error model of a stereo depth camera; the defaults are a D435's order of magnitude."""

    baseline_m: float = 0.050
    step_px: float = 1 / 32
    sigma_px: float = 0.08
    window_px: int = 7  # over which the noise is correlated
    hole_share: float = 0.02
    hole_px: int = 5  # typical size of a hole
    edge_jump_px: float = 1.5  # a disparity jump that the matcher cannot follow


def stereo_noise(
    depth: NDArray[np.float32],
    intrinsics: Intrinsics,
    random: np.random.Generator,
    noise: StereoNoise = StereoNoise(),
) -> NDArray[np.float32]:
    """Depth (height, width) [m] as a stereo camera would report it; 0 means not measured."""
    valid = depth > 0
    scale = np.float32(intrinsics.fx * noise.baseline_m)
    disparity = np.divide(scale, depth, out=np.zeros_like(depth), where=valid)  # [px]
    disturbed = disparity + noise.sigma_px * _correlated(depth.shape, noise.window_px, random)
    steps = np.rint(disturbed / noise.step_px) * np.float32(noise.step_px)
    # Correlated noise above a quantile makes blobs, and on average just the share of holes asked for.
    holes = _correlated(depth.shape, noise.hole_px, random) > NormalDist().inv_cdf(1 - noise.hole_share)
    measured = valid & ~holes & ~_jumps(disparity, noise.edge_jump_px) & (steps > 0)
    reported: NDArray[np.float32] = np.divide(scale, steps, out=np.zeros_like(depth), where=measured)
    return reported


def _correlated(shape: tuple[int, ...], window_px: int, random: np.random.Generator) -> NDArray[np.float32]:
    """Gaussian noise of unit variance, correlated over about `window_px`."""
    # A box filter of n pixels leaves 1/n of the variance; rows and columns each take their share.
    white = random.standard_normal(shape, dtype=np.float32)
    smooth = cv2.blur(white, (window_px, window_px))
    return np.asarray(smooth * np.float32(window_px), dtype=np.float32)


def _jumps(disparity: NDArray[np.float32], threshold_px: float) -> NDArray[np.bool_]:
    highest = cv2.dilate(disparity, np.ones((3, 3), np.uint8))
    return np.asarray(highest - disparity > threshold_px)
