"""The site's pages and links. `make site` builds and checks all of it."""

import itertools
import re
import sys
from importlib.util import find_spec

import pytest
from browser import UNREADABLE, WIDTHS, Browser, executable
from conftest import execute
from markdown_it import MarkdownIt

import airfair as af
from airfair.pages.playground import PAGE
from airfair.studies.file import packaged_studies
from airfair.theme import config
from website import contents, gallery, links, pictures, reference, timelines
from website.source import PAGES, ROOT, Source, page_of, relinked

DOCUMENTS = [*sorted((ROOT / "docs").rglob("*.md")), *(ROOT / name for name in PAGES)]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    made = Source(tmp_path_factory.mktemp("source"))
    contents.write(made, playground=False, versions=False)
    return made


def read(source, page):
    return (source.folder / f"{page}.md").read_text()


def targets(file):
    """The links and pictures of a document."""
    tokens = MarkdownIt("commonmark").enable("table").parse(file.read_text())
    inside = [child for token in tokens for child in token.children or ()]
    return [str(child.attrs[key]) for child in inside for key in ("href", "src") if key in child.attrs]


def places(file):
    """GitHub's anchors of a document's headings."""
    heads = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", file.read_text(), flags=re.M | re.S), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_links_of_the_documentation_lead_somewhere(file):
    for target in targets(file):
        path, _, anchor = target.partition("#")
        if ":" in path:
            continue
        to = (file.parent / path).resolve() if path else file
        assert to.exists(), target
        assert not anchor or to.suffix != ".md" or anchor in places(to), target


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.relative_to(ROOT).as_posix())
def test_headings_leave_out_no_level(file):
    """Sphinx warns of it, so `make site` would fail."""
    tokens = MarkdownIt("commonmark").parse(file.read_text())
    levels = [int(token.tag[1]) for token in tokens if token.type == "heading_open"]
    assert levels[0] == 1
    assert all(below <= above + 1 for above, below in itertools.pairwise(levels))


def test_links_are_those_of_the_site():
    assert "](metrics.md#grades-of-devices)" in relinked(ROOT / "README.md")
    assert "](images/timeline.png)" in relinked(ROOT / "README.md")
    assert "](https://github.com/airfair/airfair/blob/main/LICENSE-MIT)" in relinked(ROOT / "README.md")
    assert "](../images/anomaly-hosts.png)" in relinked(ROOT / "docs" / "studies" / "anomaly.md")
    assert "](security.md)" in relinked(ROOT / "docs" / "trust.md")


def test_every_page_has_its_place_in_the_contents(source):
    listed = [page for part in contents.parts(source.pages()).values() for page in part]
    assert len(listed) == len(set(listed))
    within = {page for page in source.pages() if page.startswith(contents.WITHIN)}
    assert {*listed, *within, "index"} == set(source.pages())
    assert {page_of(file) for file in DOCUMENTS} <= set(source.pages())


def test_a_new_page_is_a_guide():
    assert "brand-new" in contents.parts(["tutorial", "brand-new"])["Guides"]


def test_an_unchanged_page_is_not_written_again(tmp_path):
    Source(tmp_path).write("reference/x", "text")
    page = tmp_path / "reference" / "x.md"
    before = page.stat().st_mtime_ns
    again = Source(tmp_path)
    again.write("reference/x", "text")
    assert page.stat().st_mtime_ns == before
    with pytest.raises(FileExistsError):
        again.write("reference/x", "other")
    Source(tmp_path).finish()
    assert not page.exists()


def test_the_reference_has_everything_declared(source):
    text = read(source, "reference/metrics")
    assert all(f"\n## `{entry['name']}`\n" in text for entry in af.metrics())
    for entry in af.scenarios():
        described = af.describe(entry["name"])
        page = read(source, f"reference/scenarios/{reference.file_of(entry['name'])}")
        assert all(f"\n| `{parameter['name']}` |" in page for parameter in described["parameters"])
    for kind in reference.WORDS:
        words = read(source, f"reference/{kind}")
        assert all(f"\n## `{word['name']}`\n" in words for word in af.describe(kind)["words"])
    paths = read(source, "reference/settings")
    assert all(f"\n| `{one['path']}` |" in paths for one in af.describe("settings")["settings"])
    assert ".. autoclass:: VectorEnvironment" in read(source, "api/python")
    commands = read(source, "reference/commands")
    assert "\n## `airfair fair-share`\n" in commands and commands.count("\nUsage: airfair ") == commands.count("\n## ")
    assert ".. autofunction:: sweep" in read(source, "api/python")
    assert "rust/airfair_tcp/index.html" in read(source, "api/rust-crates")


def test_text_of_declarations_stays_text():
    assert reference.prose("a*b <i> `x_1` [y]") == r"a\*b \<i\> `x_1` \[y\]"
    assert reference.table(["a|b"], [["c\nd"]]) == [r"| a\|b |", "| --- |", "| c d |"]


def test_every_picture_is_in_the_gallery_with_its_command():
    shown = {gallery.IMAGES / one.file for one in gallery.pictures() if one.file}
    twins = {twin for file in shown if (twin := pictures.narrow(file)).exists()}
    assert shown | twins | {gallery.IMAGES / gallery.DRAWN} == set(gallery.IMAGES.iterdir())
    commands = {one.command for one in gallery.pictures()}
    for study in packaged_studies():
        assert {f"airfair reproduce {study.name} --figure {figure.name}" for figure in study.figures} <= commands


@pytest.mark.parametrize("one", [one for one in gallery.pictures() if "/" not in one.page], ids=lambda one: one.file)
def test_a_picture_has_the_command_of_its_page(one):
    text = " ".join((ROOT / "docs" / f"{one.page}.md").read_text().split())
    assert " ".join(one.command.split()) in text


def smallest(found):
    """The smallest size of words that a chart's configuration has."""
    parts = found.values() if isinstance(found, dict) else ()
    own = [size for name, size in found.items() if name.lower().endswith("fontsize")] if parts else []
    return min([*own, *(smallest(part) for part in parts)], default=99)


def test_timelines_are_drawn_for_columns_and_telephones():
    drawn = [gallery.IMAGES / one.file for one in gallery.pictures() if one.file and " timeline " in one.command]
    for file in drawn:
        assert pictures.size(file)[0] == timelines.COLUMN
        assert pictures.size(pictures.narrow(file))[0] == timelines.TELEPHONE
    assert len(drawn) == len(list(gallery.IMAGES.glob("*-narrow.png")))


def test_pictures_stand_in_frames_with_their_size():
    written = '<p><img alt="A &amp; B" src="../_images/%s" /></p><img alt="far" src="https://example.org/_x.png" />'
    wide, high = pictures.size(gallery.IMAGES / "sweep.png")
    framed = pictures.framed(written % "sweep.png", gallery.IMAGES)
    assert 'aria-label="A &amp; B"' in framed and f'width="{wide}" height="{high}"' in framed
    assert "source" not in framed and framed.endswith('<img alt="far" src="https://example.org/_x.png" />')
    framed = pictures.framed(written % "timeline.png", gallery.IMAGES)
    assert f'srcset="../_images/timeline-narrow.png" width="{timelines.TELEPHONE}"' in framed


def test_dead_links_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1><a href="b.html">b</a><a href="b.html#there">b</a><a href="#top">up</a><img src="c.png">'
        '<a href="../out.html">out</a><a href="https://example.org/x">far</a>'
    )
    (tmp_path / "b.html").write_text('<p id="here">B</p><a href="gone.html">gone</a>')
    assert links.dead(tmp_path, unread=("b",)) == [
        "a.html: b.html#there: there is no such place in the page",
        "a.html: c.png: there is no such file",
        "a.html: ../out.html: leads out of the site",
    ]
    assert "b.html: gone.html: there is no such file" in links.dead(tmp_path)


#: Where the contents of the page end, and the list of its headings where that stands beside them.
RIGHT = """Math.max(...[".content", ".toc-drawer"].map((name) => document.querySelector(name))
  .filter((one) => getComputedStyle(one).position !== "fixed").map((one) => one.getBoundingClientRect().right))"""


#: How much smaller or larger each picture is than it is meant to be seen.
SCALES = """[...document.querySelectorAll(".picture img")].map((one) => ({ file: one.currentSrc.split("/").pop(),
  scale: one.complete && one.getBoundingClientRect().width / (one.naturalWidth / %s) }))"""


def seen(site, tmp_path):
    """All words can be read, and nothing is beyond the right edge of the screen, except what opens from there."""
    words = smallest(config())
    in_timelines = min(map(float, re.findall(r'font-size="([\d.]+)"', af.timeline("jung/mixed").svg)))
    assert (words, in_timelines) == (12, 11)
    browser = Browser(tmp_path / "profile")
    try:
        for name in ("index", "gallery", "timeline", "studies/jung", "reference/commands"):
            with browser.page(site / f"{name}.html") as page:
                for wide, dark in itertools.product(WIDTHS, (False, True)):
                    page.width(wide, dark=dark)
                    assert page.evaluate(RIGHT) <= wide, (name, wide)
                    assert page.evaluate(UNREADABLE) == [], (name, wide, dark)
                    page.until("[...document.images].every((one) => one.complete)")
                    found = page.evaluate(SCALES % pictures.PIXELS)
                    assert name != "gallery" or len(found) == len([one for one in gallery.pictures() if one.file])
                    for one in found:
                        least = in_timelines if one["file"].startswith("timeline") else words
                        assert least * one["scale"] > 10.99, (name, wide, one)
    finally:
        browser.close()


@pytest.mark.long
@pytest.mark.skipif(find_spec("sphinx") is None, reason="Sphinx is not installed: `make site` installs it")
def test_the_site_is_built_without_a_warning_or_a_dead_link(tmp_path):
    site = tmp_path / "site"
    command = [sys.executable, "-m", "website", "--out", str(site)]
    built = execute(command, timeout=1000, cwd=ROOT)
    assert built.returncode == 0, built.stdout + built.stderr
    for page in (
        "index",
        "tutorial",
        "gallery",
        "play",
        "reference/commands",
        "api/python",
        "api/rust/airfair_tcp/index",
    ):
        assert "<h1" in (site / f"{page}.html").read_text(), page
    playground = site / "playground" / "index.html"
    if PAGE.is_file():
        assert playground.read_bytes() == PAGE.read_bytes()
        assert 'src="playground/index.html"' in (site / "play.html").read_text()
    else:
        assert not playground.exists()
    if executable():
        seen(site, tmp_path)
    # What the check of links finds, it finds in this site, too.
    (site / "tutorial.html").write_text((site / "tutorial.html").read_text() + '<a href="gone.html">gone</a>')
    assert links.dead(site, unread=("api/rust", "playground")) == ["tutorial.html: gone.html: there is no such file"]
