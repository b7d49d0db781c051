"""The output manager: what the operator is shown.

It provides `Page` (a screen that is being served), `View` (a stream on a screen), `Screen` (what is on it
now) and `ViewPut` (how a page's scene is looked at). A view stands on the stream, the page and a process that
turns samples into what the page draws (`Encoded`); if one of them fails, the view does. `DrawnCamera` is what
operators' pages draw.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Protocol

import msgspec

from framework.clock import Clock
from framework.errors import ResourceUnavailable
from framework.processes.spec import ProcessSpec
from framework.registrar import Lease, ResourceRegistrar, Supply
from framework.transport.interface import Transport
from resources.children.starting import started
from resources.types.sensors import Camera, CameraFeed
from resources.types.streams import Stream, StreamHandle
from resources.types.views import (
    DrawnCamera,
    Encoded,
    Look,
    Page,
    PageHandle,
    Screen,
    ScreenContent,
    ShownView,
    View,
    ViewHandle,
    ViewPut,
    ViewPutHandle,
)

#: Turns a source into the process that encodes it for pages; and how its ring is called.
EncoderFor = Callable[[StreamHandle, str], ProcessSpec]


class Screens(Protocol):
    """Where views become visible; the console is one."""

    def pages(self) -> dict[str, PageHandle]:
        """All screens that are being served now, by name."""
        ...

    def views_changed(self) -> None:
        """A view has come or gone."""
        ...

    def put_view(self, page: str, look: Look) -> bool:
        """Have a page look at its three-dimensional picture so; False: there is no such page."""
        ...


class OutputManager:
    """Puts streams on screens while somebody wants them there.

    Args:
        screens: where views become visible.
        encoder_for: the encoder process of a source, as `(source, name of its ring)`.
    """

    def __init__(
        self,
        transport: Transport,
        screens: Screens,
        encoder_for: EncoderFor,
        *,
        clock: Clock | None = None,
    ) -> None:
        self._screens = screens
        self._encoder_for = encoder_for
        self._views: dict[str, tuple[View, ViewHandle]] = {}
        self._numbers = self._encoders = 0
        self._watched: dict[str, Supply] = {}
        self.registrar = ResourceRegistrar("output_manager", transport, clock=clock)
        self.registrar.provides(Page)(self._page)
        self.registrar.provides(View, start_timeout_s=30.0)(self._view)
        self.registrar.provides(Screen)(self._screen)
        self.registrar.provides(ViewPut)(self._view_put)
        self.registrar.provides(Encoded, start_timeout_s=30.0)(self._encoded)
        self.registrar.provides(DrawnCamera, start_timeout_s=120.0)(self._drawn_camera)

    async def __aenter__(self) -> OutputManager:
        await self.registrar.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.registrar.__aexit__(*error)

    def views(self) -> dict[str, tuple[View, ViewHandle]]:
        """Everything shown now, by view id."""
        return dict(self._views)

    @asynccontextmanager
    async def _page(self, request: Page) -> AsyncIterator[PageHandle]:
        yield self._known_page(request.screen)

    @asynccontextmanager
    async def _view(self, request: View) -> AsyncIterator[ViewHandle]:
        self._numbers += 1
        view_id = f"view-{self._numbers}"
        registrar = self.registrar
        async with (
            registrar.request(Page(request.screen)),
            registrar.request(Stream(request.source)),
            registrar.request(Encoded(request.source)) as encoded,
        ):
            handle = ViewHandle(request.screen, request.source, encoded.value)
            self._views[view_id] = (request, handle)
            self._changed(request.screen)
            try:
                yield handle
            finally:
                del self._views[view_id]
                self._changed(request.screen)

    @asynccontextmanager
    async def _view_put(self, request: ViewPut) -> AsyncIterator[ViewPutHandle]:
        if not self._screens.put_view(request.page, request.look):
            raise ResourceUnavailable(
                f"{request.page or 'whoever says this'} has no view to put anywhere: say it at the console's "
                "page, or at that of a phone, a headset or a desk"
            )
        yield ViewPutHandle(request.page)

    @asynccontextmanager
    async def _encoded(self, request: Encoded) -> AsyncIterator[StreamHandle]:
        self._encoders += 1
        spec = self._encoder_for(request.source, f"drawn-{self._encoders}")
        async with started(self.registrar, spec, StreamHandle) as stream:
            yield stream

    @asynccontextmanager
    async def _drawn_camera(self, _: DrawnCamera, supply: Supply) -> AsyncIterator[CameraFeed]:
        changed = asyncio.Event()
        request = self.registrar.request(Camera(kind="rgbd"), on_status=lambda _: changed.set())
        async with request as camera:
            first: asyncio.Future[CameraFeed] = asyncio.get_running_loop().create_future()
            drawing = asyncio.create_task(self._draw(camera, changed, first, supply))
            try:
                either: set[asyncio.Future[Any]] = {first, drawing}
                await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
                if drawing.done():
                    drawing.result()  # raises: without an error it goes on
                yield first.result()
            finally:
                drawing.cancel()
                await asyncio.gather(drawing, return_exceptions=True)

    async def _draw(
        self, camera: Lease, changed: asyncio.Event, first: asyncio.Future[CameraFeed], supply: Supply
    ) -> None:
        """Encode whatever the camera's pictures are now; another device may take the camera's place."""
        while True:
            feed: CameraFeed = camera.value
            async with self.registrar.request(Encoded(feed.stream)) as encoded:
                drawn = msgspec.structs.replace(feed, stream=encoded.value)
                if first.done():
                    supply.update(drawn)
                else:
                    first.set_result(drawn)
                while camera.value == feed:
                    changed.clear()
                    await changed.wait()

    @asynccontextmanager
    async def _screen(self, request: Screen, supply: Supply) -> AsyncIterator[ScreenContent]:
        self._known_page(request.screen)
        self._watched[request.screen] = supply
        try:
            yield self._content(request.screen)
        finally:
            del self._watched[request.screen]

    def _changed(self, screen: str) -> None:
        self._screens.views_changed()
        if screen in self._watched:
            self._watched[screen].update(self._content(screen))

    def _content(self, screen: str) -> ScreenContent:
        shown = [
            ShownView(view.title, view.source) for view, _ in self._views.values() if view.screen == screen
        ]
        return ScreenContent(screen, tuple(shown))

    def _known_page(self, screen: str) -> PageHandle:
        pages = self._screens.pages()
        if screen not in pages:
            known = ", ".join(sorted(pages)) or "none"
            raise ResourceUnavailable(f"there is no screen {screen!r}; served are {known}")
        return pages[screen]
