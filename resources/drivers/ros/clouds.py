"""`sensor_msgs/msg/PointCloud2` as points. Fields may lie anywhere in a point, in either order of bytes."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from framework.errors import MalformedMessage

CLOUD: Final = "sensor_msgs/msg/PointCloud2"

MOST_BYTES: Final = 200_000_000

_TYPES: Final[dict[int, np.dtype[Any]]] = {7: np.dtype(np.float32), 8: np.dtype(np.float64)}
_TYPE_NAMES: Final = {
    1: "INT8",
    2: "UINT8",
    3: "INT16",
    4: "UINT16",
    5: "INT32",
    6: "UINT32",
    7: "FLOAT32",
    8: "FLOAT64",
}


def points_of(cloud: Any, most: int) -> NDArray[np.float32]:
    """Its points (n, 3) [m] in its own frame, without those that are not finite; n ≤ most.

    Of more, every second is taken, or third, and so on: no region is favoured.
    Raises MalformedMessage for a cloud without x, y and z of floating point, or of too few bytes.
    """
    kinds, offsets = zip(*(_field(cloud, name) for name in "xyz"), strict=True)
    data = memoryview(cloud.data)
    row_bytes = cloud.width * cloud.point_step
    needed = cloud.row_step * (cloud.height - 1) + row_bytes if cloud.height and cloud.width else 0
    fits = all(at + kind.itemsize <= cloud.point_step for kind, at in zip(kinds, offsets, strict=True))
    is_whole = cloud.height <= 1 or cloud.row_step >= row_bytes
    if not fits or not is_whole or data.nbytes < needed or data.nbytes > MOST_BYTES:
        where = ", ".join(map(str, offsets))
        raise MalformedMessage(
            f"a cloud of {cloud.width}×{cloud.height} points of {cloud.point_step} bytes, rows of "
            f"{cloud.row_step}, came in {data.nbytes} bytes, x, y, z at {where}; points have to fit into "
            f"rows, rows into all, and {MOST_BYTES} bytes are the most"
        )
    if not needed:
        return np.empty((0, 3), np.float32)
    point = np.dtype(
        {"names": ["x", "y", "z"], "formats": kinds, "offsets": offsets, "itemsize": cloud.point_step}
    )
    shape, strides = (cloud.height, cloud.width), (cloud.row_step, cloud.point_step)
    came = np.ndarray(shape, point, data, strides=strides)
    points = np.empty((came.size, 3), np.float32)
    with np.errstate(over="ignore"):  # what no float32 can hold is infinite
        for column, name in enumerate("xyz"):
            points[:, column] = came[name].reshape(-1)
    if not cloud.is_dense or not np.isfinite(points).all():
        points = points[np.isfinite(points).all(axis=1)]
    step = -(-len(points) // most) or 1
    return np.ascontiguousarray(points[::step])


def _field(cloud: Any, name: str) -> tuple[np.dtype[Any], int]:
    for field in cloud.fields:
        if field.name == name:
            kind = _TYPES.get(field.datatype)
            if kind is None or field.count > 1:
                said = _TYPE_NAMES.get(field.datatype, f"type {field.datatype}")
                raise MalformedMessage(
                    f"a cloud came whose {name} is {field.count} of {said}; one FLOAT32 or FLOAT64 is allowed"
                )
            return kind.newbyteorder(">" if cloud.is_bigendian else "<"), field.offset
    names = ", ".join(field.name for field in cloud.fields) or "none"
    raise MalformedMessage(
        f"a cloud came without field {name}; x, y and z are needed, its fields are {names}"
    )
