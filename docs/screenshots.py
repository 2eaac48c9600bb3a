# ruff: noqa: INP001 - a script, not part of a package
"""Screenshots of the report and of a notebook, for `docs/images`.

Needs Chromium, poppler's `pdftoppm`, and playwright, pillow, nbconvert and a Jupyter kernel called `hornbeam` that can
import this package. `hornbeam` is found on the path. Look at every picture before it is committed.

    PATH=.venv/bin:$PATH python docs/screenshots.py
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from nbconvert import HTMLExporter
from nbconvert.preprocessors import ExecutePreprocessor
from PIL import Image
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

IMAGES = Path(__file__).parent / "images"
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
ABOUT = (
    *("--title", "Which loans are repaid?", "--author", "Credit team"),
    *("--notes", "The German credit data: 1,000 loans, judged good or bad."),
)
CELLS = (
    """import hornbeam
from hornbeam import evaluate, show

glass = hornbeam.read("glass").to_pandas()
X, y = glass.drop(columns="Type"), glass["Type"]""",
    "tree = hornbeam.C45Classifier(min_samples_leaf=15).fit(X, y)\ntree",
    "show.text(tree)",
    "evaluate.cross_validate(tree, X, y)",
    "forest = hornbeam.RandomForestClassifier(50, random_state=1).fit(X, y)\nshow.explain(forest, X, 60)",
)
PHONE = {"width": 360, "height": 780}


def report(data: str, path: Path, *options: str) -> Path:
    """Make a report."""
    subprocess.run(["hornbeam", "report", data, "-o", path, "-q", *options], check=True)  # noqa: S603, S607 - our own
    return path


def opened(browser: Browser, path: Path, *, width: int = 1100, height: int = 800, **options: Any) -> Page:  # noqa: ANN401
    """A page of its own."""
    page = browser.new_context(viewport={"width": width, "height": height}, **options).new_page()
    page.goto(path.as_uri())
    return page


def from_section(page: Page, name: str, place: Path, size: tuple[int, int], above: int = 20) -> Image.Image:
    """A picture of a window of this size, from a section on."""
    top = page.locator(f"#{name}").evaluate("one => one.getBoundingClientRect().top + scrollY") - above
    clip = {"x": 0, "y": max(top, 0), "width": size[0], "height": size[1]}
    page.screenshot(path=place, full_page=True, clip=clip)
    return Image.open(place).convert("RGB")


def beside(parts: list[Image.Image], gap: int = 16) -> Image.Image:
    """Pictures side by side on gray."""
    whole = Image.new("RGB", (sum(one.width + gap for one in parts) - gap, max(one.height for one in parts)), "#888")
    left = 0
    for one in parts:
        whole.paste(one, (left, 0))
        left += one.width + gap
    return whole


def write(image: Image.Image, name: str) -> None:
    """Write a picture; those for the docs are small."""
    image.save(IMAGES / name, **({"quality": 80} if name.endswith(".webp") else {"optimize": True}))
    sys.stdout.write(f"{name}: {image.width} x {image.height}\n")


def reports(browser: Browser, folder: Path) -> None:
    """The report: on a desktop, dark, on a phone, and on paper."""
    credit, cars = (
        report("credit-g", folder / "credit.html", "--scheme", "cart", *ABOUT),
        report("auto-mpg", folder / "cars.html"),
    )
    page = opened(browser, credit)
    write(from_section(page, "content", folder / "a.png", (1100, 780), above=10_000), "report-top.webp")
    page.locator("#example").select_option(index=3)
    write(from_section(page, "model", folder / "a.png", (1100, 780)), "report.png")
    for name, cost in (("#t-alarm", "1"), ("#t-miss", "5")):
        page.locator(name).fill(cost)
    page.locator("#t-best").click()
    page.evaluate("document.querySelector('nav').style.position = 'static'")  # which stays at the top of a window
    panel = page.locator(".threshold")
    panel.evaluate("one => one.previousElementSibling.id = 'slider'")
    write(from_section(page, "slider", folder / "a.png", (1100, 500), above=70), "report-threshold.webp")
    dark = opened(browser, cars, color_scheme="dark")
    write(from_section(dark, "columns", folder / "a.png", (1100, 940)), "report-dark.webp")
    phone = opened(browser, credit, **PHONE, device_scale_factor=1)
    size = (PHONE["width"], PHONE["height"])
    screens = [
        from_section(phone, name, folder / f"{name}.png", size, above=8) for name in ("data", "models", "columns")
    ]
    first = from_section(phone, "data", folder / "top.png", size, above=10_000)
    write(beside([first, *screens[1:]]), "report-phone.webp")
    paper = opened(browser, credit)
    paper.pdf(path=folder / "credit.pdf", format="A4")
    subprocess.run(["pdftoppm", "-r", "60", "-png", folder / "credit.pdf", folder / "paper"], check=True)  # noqa: S603, S607 - ours
    pages = sorted(folder.glob("paper-*.png"))
    write(beside([Image.open(pages[number]).convert("RGB") for number in (0, 3, 4)]), "report-print.webp")


def notebook(browser: Browser, folder: Path) -> None:
    """A notebook, run by Jupyter's kernel and written as its own page."""
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    ExecutePreprocessor(timeout=120, kernel_name="hornbeam").preprocess(made, {})
    html, _ = HTMLExporter().from_notebook_node(made)
    (folder / "notebook.html").write_text(html, encoding="utf-8")
    page = opened(browser, folder / "notebook.html", width=900, height=900)
    page.screenshot(path=folder / "notebook.png", full_page=True)
    write(Image.open(folder / "notebook.png").convert("RGB").quantize(128), "notebook.png")


def main() -> None:
    """Make all pictures."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=list(OPTIONS))
        reports(browser, Path(name))
        notebook(browser, Path(name))
        browser.close()


if __name__ == "__main__":
    main()
