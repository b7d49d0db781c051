"""The output manager: what the operator is shown.

It provides `Page` (a screen that is being served), `View` (a stream on a
screen) and `Screen` (what is on it now). A view stands on the stream, the page and a
process that turns samples into what the page draws; if one of them fails, the view does.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Protocol

from framework.clock import Clock
from framework.errors import ResourceUnavailable
from framework.processes.spec import ProcessSpec
from framework.registrar import ResourceRegistrar, Supply
from framework.transport.interface import Transport
from resources.children.starting import started
from resources.types.streams import Stream, StreamHandle
from resources.types.views import Page, PageHandle, Screen, ScreenContent, ShownView, View, ViewHandle

#: Turns a view's source into the process that encodes it for the page.
EncoderFor = Callable[[StreamHandle, str], ProcessSpec]


class Screens(Protocol):
    """Where views become visible; the console is one."""

    def pages(self) -> dict[str, PageHandle]:
        """All screens that are being served now, by name."""
        ...

    def views_changed(self) -> None:
        """A view has come or gone."""
        ...


class OutputManager:
    """Puts streams on screens while somebody wants them there.

    Args:
        screens: where views become visible.
        encoder_for: the encoder process of a source, as `(source, view id)`.
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
        self._numbers = 0
        self._watched: dict[str, Supply] = {}
        self.registrar = ResourceRegistrar("output_manager", transport, clock=clock)
        self.registrar.provides(Page)(self._page)
        self.registrar.provides(View, start_timeout_s=30.0)(self._view)
        self.registrar.provides(Screen)(self._screen)

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
            started(registrar, self._encoder_for(request.source, view_id), StreamHandle) as encoded,
        ):
            handle = ViewHandle(request.screen, request.source, encoded)
            self._views[view_id] = (request, handle)
            self._changed(request.screen)
            try:
                yield handle
            finally:
                del self._views[view_id]
                self._changed(request.screen)

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
