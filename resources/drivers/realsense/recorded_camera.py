"""A recording of a RealSense camera (`.db3`) as if the camera were there."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from typing import Any

from framework.errors import DescriptionError, StreamError
from resources.drivers.realsense.library import library
from resources.drivers.realsense.sources import PipelineSource, Profiles, Taken

rs = library()

ENDING = ".db3"


def checked_recording(file: str) -> Path:
    """A recording that may be opened. Raises DescriptionError with what is wrong with it."""
    path = Path(file)
    if path.suffix == ".bag":
        raise DescriptionError(
            f"{file} is a recording of the older kind; {ENDING} is read. Convert it: "
            f'pyrealsense2.context().convert_bag_to_db3("{path.name}", "{path.stem}{ENDING}")'
        )
    if path.suffix != ENDING:
        raise DescriptionError(f"{file} is no recording of a RealSense camera: its name must end in {ENDING}")
    if not path.is_file():
        raise DescriptionError(f"the recording {file} does not exist")
    return path


class Recording(PipelineSource):
    """Plays a file.

    serial: whose recording it must be; "" is anybody's. repeat: begin anew at its end, which else is the
    end. real_time: at the pace it was recorded, losing what nobody fetched in time; else as fast as
    frames are fetched, losing none.
    """

    can_reset = False

    def __init__(self, path: Path, *, serial: str = "", repeat: bool = True, real_time: bool = True) -> None:
        super().__init__()
        self.what = f"the recording {path}"
        self.ended = ""
        self._path = path
        self.serial = serial
        self._repeat = repeat
        self._real_time = real_time
        self._playback: Any = None
        self._resuming: Thread | None = None
        self._played = 0
        self._played_now = 0  # since it began anew

    def start(self) -> Profiles:
        """As `Source` says. DescriptionError if it is another camera's."""
        context, config = rs.context(), rs.config()
        try:
            # Repeating is ours: the library's own stands still for good now and then on a busy machine.
            config.enable_device_from_file(str(self._path), repeat_playback=False)
            device = config.resolve(rs.pipeline_wrapper(rs.pipeline(context))).get_device()
        except RuntimeError as error:
            raise StreamError(f"it cannot be read; is it whole? The library says: {error}") from error
        known = device.supports(rs.camera_info.serial_number)
        serial = device.get_info(rs.camera_info.serial_number) if known else "without a serial number"
        if self.serial not in ("", serial):
            raise DescriptionError(f"{self._path} was recorded by {serial}; {self.serial} was asked for")
        self.serial = serial
        self._playback = device.as_playback()
        self._playback.set_real_time(self._real_time)
        # Playing begins with the first stream that is started: what the others had by then would be lost.
        self._playback.pause()
        profiles = self.start_pipeline(context, config)
        self._resuming = Thread(target=self._resume, name="resuming a recording", daemon=True)
        self._resuming.start()
        self._played_now = 0
        return profiles

    def _resume(self) -> None:
        """The library may stay in there for ten seconds, until somebody fetches what it has read."""
        self._playback.resume()

    def stop(self) -> None:
        """As `Source` says."""
        super().stop()
        if self._resuming is not None:
            self._resuming.join()
            self._resuming = None

    def next(self, timeout_s: float) -> Taken | None:
        """As `Source` says."""
        taken = super().next(timeout_s)
        if taken is not None:
            self._played += 1
            self._played_now += 1
        return taken

    def frames(self, timeout_s: float) -> Any:
        """At its end None, and it begins anew or has ended."""
        frames = super().frames(timeout_s)
        if frames is None and self._has_stopped:
            frames = super().frames(0.0)  # the last ones may have come in between
            if frames is None:
                self._end()
        return frames

    @property
    def _has_stopped(self) -> bool:
        # Before it plays, too, the library says that it is stopped.
        return bool(self._played_now and self._playback.current_status() == rs.playback_status.stopped)

    def _end(self) -> None:
        if self._repeat:
            self.stop()
            self.start()
        else:
            self.ended = f"{self.what} is over after {self._played} pictures"

    def reset(self) -> None:
        """Never asked for."""
        raise StreamError(f"{self.what} has no hardware to reset")

    def is_present(self) -> bool:
        """Its file was there when it was opened."""
        return True
