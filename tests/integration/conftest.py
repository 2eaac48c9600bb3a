"""A real browser: Debian's Chromium, driven by Playwright, with no network."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.fail("Playwright is missing; install the extra `integration` (make integration does)")
    named = os.environ.get("CHROMIUM")
    found = named or next((place for name in CHROMIUM if (place := shutil.which(name))), None)
    if found is None:
        pytest.fail("no Chromium was found (Debian: apt install chromium), nor named by CHROMIUM=/path/to/it")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=found, args=list(OPTIONS))
        yield opened
        opened.close()


class Opened:
    """A page with everything that it asked for and complained of."""

    def __init__(self, page: Page, place: Path) -> None:
        self.page, self.address = page, place.as_uri()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(self.address)

    def check_quiet(self) -> None:
        """Nothing was complained of, and nothing asked for but the file itself."""
        assert self.complaints == []
        assert self.requests == [self.address]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[object]:
    pages: list[Page] = []

    def opening(place: Path, **options: object) -> Opened:
        context = browser.new_context(viewport={"width": 1280, "height": 900}, **options)  # type: ignore[arg-type]
        pages.append(context.new_page())
        return Opened(pages[-1], place)

    yield opening
    for page in pages:
        page.context.close()
