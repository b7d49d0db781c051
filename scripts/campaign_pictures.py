"""The pictures of a campaign in docs/pictures: `make campaign-pictures`.

    python -m scripts.campaign_pictures reports/house-campaign.html docs/pictures

`pilothouse campaign` has written that page, and the table beside it; the page is looked at in a browser.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
from pathlib import Path
from typing import Final

from pilothouse.testbed.headless_chromium import launched

WIDTH_PX: Final = 1300
HEIGHT_PX: Final = 1000


def main() -> None:
    """Write both pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path, help="the page that `pilothouse campaign` wrote")
    parser.add_argument("folder", type=Path, help="where the pictures go")
    arguments = parser.parse_args()
    page: Path = arguments.page
    table = page.with_name(page.name.removesuffix("-campaign.html") + "-coverage.png")
    shutil.copyfile(table, arguments.folder / "campaign-coverage.png")
    asyncio.run(_take(page.resolve().as_uri(), arguments.folder / "campaign-page.png"))


async def _take(address: str, picture: Path) -> None:
    async with launched() as browser:
        seen = await browser.new_page(viewport={"width": WIDTH_PX, "height": HEIGHT_PX})
        await seen.goto(address)
        await seen.screenshot(path=picture, full_page=True)


if __name__ == "__main__":
    main()
