"""Text from scenarios never becomes code in pages and pictures. Pages fit screens of all sizes."""

import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import polars
import pytest
from browser import UNREADABLE, WIDTHS, Browser, needs_browser, on_paper
from sweeping import TINY

import airfair as af
from airfair import pages
from airfair.catalogue.wording import visible
from airfair.command import Common
from airfair.figures import drawn
from airfair.figures.charts.choice import Asked
from airfair.figures.charts.figure import figure
from airfair.optimizer.chart import draw as optimum
from airfair.optimizer.evaluator import Evaluation
from airfair.optimizer.judgement import judge as compared
from airfair.optimizer.problem import Goal, Problem
from airfair.optimizer.ranges import Dimension
from airfair.runs.estimate import Estimate
from airfair.runs.loading import File
from airfair.studies.claims import judgement
from airfair.studies.measurements import Measurements, Row
from airfair.studies.plan import Request, plan
from airfair.studies.report import render as study_page
from airfair.sweeps.data import of_ran
from airfair.sweeps.page.subject import of_result
from airfair.sweeps.report import render

#: Strings that act as code unless escaped, each in its own context: elements, attributes, entities, styles, formulas.
HOSTILE = (
    "</script><script>window.harm = 1</script>",
    '"><img src=http://harm.invalid/a onerror="window.harm = 2">',
    "&lt;b&gt; &quot; ' ]]> <!-- \u2028 \u2029",
    "</style></title><svg onload=window.harm=3>",
    "{{ 7 * 7 }} ${window.harm = 4} %s url(http://harm.invalid/b)",
    "\u202eright to left\u2069 \x1b[31m \x00 \x07 \x7f \x9b \ufffe",
)
#: Finds overflowing parts of a page: wider than the screen, or text cut off in a box that does not scroll.
UNFIT = """(() => {
  const found = [], start = (one) => one.outerHTML.slice(0, 120);
  if (document.documentElement.scrollWidth > innerWidth) {
    const wide = [...document.querySelectorAll("main *")].filter((one) =>
      one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".scroll, .plot"));
    found.push(`the page is ${document.documentElement.scrollWidth} wide:`, ...wide.slice(0, 3).map(start));
  }
  for (const one of document.querySelectorAll("h1, h2, h3, .badge, .turned span, .of, .sentence, th")) {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = one;
    const cut = clientWidth > 1 && (scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 3);
    if (cut) found.push(`cut off: ${start(one)}`);
  }
  return found;
})()"""
#: Boxes that scroll and that the keyboard does not reach, or that have no name or that of another one.
UNREACHED = """(() => {
  const start = (one) => one.outerHTML.slice(0, 120), seen = new Set();
  const scrolling = [...document.querySelectorAll("main, main *")].filter((one) =>
    /auto|scroll/.test(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth + 1);
  const found = scrolling.filter((one) => one.tabIndex < 0 || !one.getAttribute("aria-label")).map(start);
  for (const one of document.querySelectorAll("[role='region']")) {
    const name = one.getAttribute("aria-label");
    if (seen.has(name)) found.push(`twice: ${start(one)}`);
    seen.add(name);
  }
  return found.slice(0, 5);
})()"""
#: Tables of which paper would show a part alone.
CUT_OFF = """[...document.querySelectorAll(".scroll")].filter((one) => one.checkVisibility())
  .filter((one) => getComputedStyle(one).overflowY !== "visible" ||
    one.querySelector(".definitions")?.scrollWidth > one.clientWidth)
  .map((one) => one.getAttribute("aria-label"))"""
#: Backgrounds that browsers leave out on paper, boxes that cannot go on on the next sheet, what only screens can use.
UNPRINTED = """(() => {
  const all = (names) => [...document.querySelectorAll(names)].filter((one) => one.checkVisibility());
  const right = (one) => one.querySelector("svg").getBoundingClientRect().right;
  return [
    ...all(".bar span, .part, .part i").filter((one) => getComputedStyle(one).printColorAdjust !== "exact"),
    ...all(".timeline .plot").filter((one) => getComputedStyle(one).overflowX !== "visible" || right(one) > innerWidth),
    ...all(".at, .hint"),
  ].map((one) => one.outerHTML.slice(0, 100));
})()"""
MARKS = """[...document.querySelectorAll(".plot svg")].filter((svg) => svg.getClientRects().length).map((svg) =>
  svg.querySelectorAll("path, rect, line, circle").length)"""


def readable(page, wide):
    """Everything fits a screen of this width and can be read, on light and dark ones."""
    for dark in (True, False):
        page.width(wide, dark=dark)
        assert page.evaluate(UNFIT) == [], wide
        assert page.evaluate(UNREACHED) == [], wide
        assert page.evaluate(UNREADABLE) == [], (wide, dark)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = Browser(tmp_path_factory.mktemp("profile"))
    yield found
    found.close()


@pytest.fixture(scope="module")
def swept():
    over = {"stations": [2, 4], "tcp": ["vegas", "reno", "newreno", "sack", "tahoe", "westwood"]}
    return af.sweep("jung/mixed", over, seeds=2, **TINY)


@pytest.fixture(scope="module")
def hostile(swept):
    """Results in which the text given by the user is hostile."""
    data = of_ran(swept._ran, "results", "")
    names = dict(zip(data.orders["tcp"], HOSTILE, strict=True))
    frame = data.frame.with_columns(polars.col("tcp").replace_strict(names))
    orders = data.orders | {"tcp": tuple(names.values())}
    return replace(data, name=HOSTILE[0], frame=frame, orders=orders, set={"a": HOSTILE[0], HOSTILE[1]: "b"})


VIEWS = {
    "line": Asked(("throughput_total", "ap_queue_mean"), x="stations", color="tcp"),
    "panels": Asked(("throughput_total",), x="stations", facet="tcp"),
    "dots": Asked(("throughput_total",), x="tcp", color="stations"),
    "heatmap": Asked(("throughput_total", "ap_queue_mean"), x="stations", color="tcp", kind="heatmap"),
    "box": Asked(("throughput_total",), x="tcp", color="stations", kind="box"),
    "cdf": Asked(("throughput_total",), color="tcp", facet="stations", kind="cdf"),
}


def harmless(page):
    """No foreign script has run, the page has requested nothing, and the browser reports no problem."""
    assert page.evaluate("window.harm === undefined")
    assert page.evaluate("document.querySelectorAll('img, iframe, link, [onload], [onerror]').length") == 0
    assert page.requests == [] and page.complaints == []


@pytest.fixture(scope="module")
def shown(hostile):
    return {name: figure(hostile, asked) for name, asked in VIEWS.items()}


@pytest.mark.parametrize("kind", VIEWS)
def test_hostile_words_in_figures(shown, kind):
    drawing = shown[kind]
    assert drawing.png.startswith(b"\x89PNG")
    for text in (drawing.svg, drawing.html):
        assert not re.search(r"<(img|iframe|script[^>]*src)|</script><script>window", text)
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufffe]", text)
        assert r"\u202eright to left" in text and r"\x1b[31m" in text


@pytest.mark.parametrize("count", [1, 2, 3])
def test_hostile_words_in_figures_of_an_optimum(count):
    """Hostile strings as values of this many parameters, whose names are hostile too."""
    dimensions = tuple(Dimension(name, None, HOSTILE, ordered=False) for name in HOSTILE[:count])
    goal = Goal("throughput_total", "bit/s", maximize=True)
    asked = Problem(File(HOSTILE[0], HOSTILE[0], ""), HOSTILE[1], (), dimensions, goal, (), range(1, 4), len(HOSTILE))
    evaluations = [
        Evaluation(
            (place,) * count, dict.fromkeys(HOSTILE[:count], word), {goal.metric: {1: 5.0, 2: 6.0 + place, 3: 5.5}}
        )
        for place, word in enumerate(HOSTILE)
    ]
    drawing = optimum(asked, compared(asked, evaluations))
    assert drawing.png.startswith(b"\x89PNG")
    document = ElementTree.fromstring(drawing.svg)
    assert {one.tag.split("}")[1] for one in document.iter()}.isdisjoint({"script", "img", "image", "foreignObject"})
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufffe]", drawing.svg)
    assert r"\u202eright to left" in drawing.svg and "&lt;/script&gt;" in drawing.svg


@needs_browser
def test_figures_in_a_browser(browser, shown, tmp_path):
    for name, drawing in shown.items():
        file = tmp_path / f"{name}.html"
        file.write_text(drawing.html)
        with browser.page(file) as page:
            for wide in WIDTHS:
                readable(page, wide)
            assert all(count > 10 for count in page.evaluate(MARKS))
            harmless(page)


@pytest.mark.parametrize("kind", VIEWS)
def test_what_has_a_role_in_a_figure_has_a_name(shown, kind):
    """A screen reader would tell a group without a name as an empty picture."""
    parts = [one.attrib for one in ElementTree.fromstring(shown[kind].svg).iter() if "role" in one.attrib]
    assert all(part["role"] == "graphics-symbol" and part["aria-label"] for part in parts)
    assert parts or kind == "cdf"


@needs_browser
@pytest.mark.parametrize("page_of", ["figure", "report", "study", "timeline"])
def test_paper_is_white_and_has_whole_tables(browser, shown, swept, studied, page_of, tmp_path):
    pages_made = {
        "figure": lambda: shown["line"].html,
        "report": lambda: render(of_result(swept._ran)),
        "study": lambda: studied,
        "timeline": lambda: af.timeline("jung/mixed", duration="20 s").html,
    }
    file = tmp_path / "page.html"
    file.write_text(pages_made[page_of]())
    with browser.page(file) as page:
        # A picture of many panels is as wide as a sheet on its side, with smaller words than on screens.
        page.width(1047 if page_of == "timeline" else 700)
        on_paper(page, 7.6 if page_of == "timeline" else 10.99)
        assert page.evaluate(UNPRINTED) == []
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate(CUT_OFF) == []


@needs_browser
def test_an_svg_in_a_browser(browser, shown, tmp_path):
    file = tmp_path / "a.svg"
    file.write_text(shown["line"].svg)
    with browser.page(file) as page:
        assert page.evaluate("document.documentElement.tagName") == "svg"
        assert page.evaluate("document.querySelectorAll('path').length") > 10
        assert page.evaluate("window.harm === undefined") and page.requests == []


@needs_browser
def test_values_by_key_touch_and_pointer(browser, shown, tmp_path):
    file = tmp_path / "a.html"
    file.write_text(shown["heatmap"].html)
    readout = "document.getElementById('readout').textContent"
    with browser.page(file) as page:
        page.width(420)
        page.evaluate("document.querySelector('.plot').focus()")
        read = []
        for _ in range(3):
            page.press("ArrowRight")
            read.append(page.evaluate(readout))
        assert len(set(read)) == 3 and all("Total throughput" in text for text in read)
        page.press("ArrowLeft")
        assert page.evaluate(readout) == read[1]
        middle = """(place => {
          const marks = document.querySelectorAll('.plot [role="graphics-symbol"]');
          marks[place].scrollIntoView({ block: "center", inline: "center" });
          const { x, y, width, height } = marks[place].getBoundingClientRect();
          return [x + width / 2, y + height / 2, marks[place].getAttribute("aria-label")];
        })"""
        x, y, label = page.evaluate(f"{middle}(5)")
        page.tap(x, y)
        assert page.evaluate(readout) == label
        x, y, label = page.evaluate(f"{middle}(7)")
        page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        assert page.evaluate(readout) == label
        rows = page.evaluate("document.querySelectorAll('tbody tr').length")
        assert rows >= 24
        harmless(page)


def reads(page, place: int) -> list[str]:
    """The text below a figure after each of three presses of an arrow key."""
    page.evaluate(f"document.querySelectorAll('figure > .plot')[{place}].focus()")
    read = []
    for _ in range(3):
        page.press("ArrowRight")
        read.append(page.evaluate(f"document.querySelectorAll('.readout')[{place}].textContent"))
    return read


@needs_browser
def test_values_of_each_figure_of_a_report_by_key(browser, swept, tmp_path):
    file = tmp_path / "report.html"
    file.write_text(render(of_result(swept._ran)))
    with browser.page(file) as page:
        assert page.evaluate("document.querySelectorAll('figure > .plot').length") > 1
        shares, first, second = reads(page, 0), reads(page, 1), reads(page, 2)
        assert len({*shares, *first, *second}) == 9 and all(shares + first + second)
        assert all(re.match(r"[A-Z].+, by [^:]+: means from", share) for share in shares), shares
        assert page.evaluate("document.querySelectorAll('.here').length") == 3
        harmless(page)


#: Marks of tables, and what nobody without a pointer can read.
MARKED = """(() => {
  const marks = [...document.querySelectorAll(".marked [role='graphics-symbol']")];
  return [marks.length, marks.filter((one) => !one.getAttribute("aria-label")).length,
    [...document.querySelectorAll("[title]")].map((one) => one.outerHTML.slice(0, 100))];
})()"""


@needs_browser
@pytest.mark.parametrize(("rows", "hidden"), [(40, False), (41, True)])
def test_long_tables_scroll_and_show_that_they_do(browser, tmp_path, rows, hidden):
    found = af.sweep("jung/mixed", {"wired_delay": [f"{1 + row} ms" for row in range(rows)]}, seeds=1, **TINY)
    file = tmp_path / "report.html"
    file.write_text(render(of_result(found._ran)))
    box = "document.querySelector('#points .scroll')"
    with browser.page(file) as page:
        page.width(1100)
        assert page.evaluate(f"{box}.scrollHeight > {box}.clientHeight + 1") == hidden
        assert ("to top" in page.evaluate(f"getComputedStyle({box}).backgroundImage")) == hidden


@needs_browser
def test_shares_of_a_report_by_touch(browser, swept, tmp_path):
    file = tmp_path / "report.html"
    file.write_text(render(of_result(swept._ran)))
    with browser.page(file) as page:
        page.width(420)
        count, silent, hovered = page.evaluate(MARKED)
        assert count >= 2 and silent == 0 and hovered == []
        # Without words it would cover a row at the bottom of the screen.
        assert page.evaluate("getComputedStyle(document.querySelector('.marked .readout')).position") == "static"
        touched(page, 1)
        harmless(page)


def touched(page, place: int) -> None:
    """A touch of a mark in a table shows what the mark says, on the screen."""
    x, y, label = page.evaluate(f"""(() => {{
      const mark = document.querySelectorAll(".marked [role='graphics-symbol']")[{place}];
      mark.scrollIntoView({{ block: "center", inline: "center" }});
      const {{ x, y, width, height }} = mark.getBoundingClientRect();
      return [x + width / 2, y + height / 2, mark.getAttribute("aria-label")];
    }})()""")
    page.tap(x, y)
    readout = "document.querySelector('.marked .readout')"
    assert page.evaluate(f"{readout}.textContent") == label != ""
    assert page.evaluate(f"{readout}.getBoundingClientRect().bottom <= innerHeight")


@needs_browser
def test_what_survives_by_key_and_touch(browser, tmp_path):
    file = tmp_path / "report.html"
    file.write_text(unrun("lee"))
    setups = plan(Request("lee", (), True, 1, None), Common()).study.sensitivity.setups
    with browser.page(file) as page:
        page.width(420)
        count, silent, hovered = page.evaluate(MARKED)
        assert count > 2 * len(setups) and silent == 0 and hovered == []
        page.evaluate("document.querySelector('.marked .plot').focus()")
        page.press("ArrowRight")
        told = page.evaluate("document.querySelector('.marked .readout').textContent")
        assert told.startswith(f"{setups[0].title}: ")
        touched(page, len(setups) + 1)
        assert page.evaluate(UNFIT) == []
        page.evaluate("document.querySelector('.survival td a').click()")
        unfolded = "new Promise((done) => setTimeout(() => done(document.querySelectorAll('.claim[open]').length), 50))"
        assert page.evaluate(unfolded) == 1
        harmless(page)


@needs_browser
def test_the_page_of_a_search(browser, tmp_path):
    found = af.optimize(
        "jung/mixed",
        over={"max_window": "4..12:4", "queue": [10, 50]},
        maximize="throughput_total",
        subject_to="jain_persistent >= 0.1",
        seeds=2,
        duration="20 s",
    )
    file = tmp_path / "optimum.html"
    found.save(file)
    with browser.page(file) as page:
        for wide in WIDTHS:
            readable(page, wide)
        read = reads(page, 0)
        assert len(set(read)) == 3 and all("max_window = " in text and "queue = " in text for text in read)
        page.evaluate("document.querySelector('th button').click()")
        assert page.evaluate("document.querySelector('th[aria-sort]') !== null")
        harmless(page)


@needs_browser
def test_the_page_of_a_search_without_a_best_value(browser, tmp_path):
    found = af.optimize(
        "jung/mixed",
        over={"max_window": "4..12:4"},
        maximize="throughput_total",
        subject_to="throughput_total >= 50 Mb/s",
        seeds=2,
        duration="20 s",
    )
    assert "No candidate satisfies" in found.html and "The best values" not in found.html
    file = tmp_path / "optimum.html"
    found.save(file)
    with browser.page(file) as page:
        harmless(page)


def test_marks_of_a_study_say_their_values():
    from airfair.studies.draw import draw
    from airfair.studies.figures import FigurePoint

    planned = plan(Request("jung", ("fig2a",), True, 1, None), Common())
    [chosen] = planned.figures
    rows = [Row(cell, checked.parameters) for cell, checked in planned.cells[:2]]
    estimates = [Estimate(0.5, (0.4, 0.6), 3)] * 2
    points = [
        FigurePoint(row, chosen.y[0], "1", estimate, None, None) for row, estimate in zip(rows, estimates, strict=True)
    ]
    assert draw(planned.study, chosen, points).svg.count("95 % interval 0.4 to 0.6") == 2


def test_data_for_scripts_ends_no_element():
    document = {word: [word] for word in HOSTILE}
    text = pages.embedded(document)
    assert json.loads(text) == document
    assert not set(text) & set("<>&\u2028\u2029") and text.isascii()


def test_every_page_has_a_content_security_policy(shown):
    text = shown["line"].html
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert "default-src &#39;none&#39;" in policy and "script-src &#39;sha256-" in policy
    assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0] and "unsafe-eval" not in policy


def test_invisible_control_characters_are_shown():
    assert visible("a\x00\x1b\x7f\x9b\u2028\u202e\u2066\ufffe\ud800") == (
        r"a\x00\x1b\x7f\x9b\u2028\u202e\u2066\ufffe\ud800"
    )
    plain = "naïve, 東京, مرحبا, 👩‍🚀,\ttab\nline"
    assert visible(plain) == plain


def test_a_panic_of_the_library_that_draws_is_an_error():
    spoilt = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>%s</text></svg>'
    chart = {"data": {"values": [{"a": "\x1b"}]}, "mark": "point", "encoding": {"x": {"field": "a", "type": "nominal"}}}
    with pytest.raises(af.EngineError, match="cannot draw the figure"):
        drawn.svg(chart, "6.1")
    with pytest.raises(af.EngineError, match="cannot draw the figure"):
        drawn.png(spoilt % "\x1b", 1)
    assert drawn.png(spoilt % "a", 1).startswith(b"\x89PNG")


@needs_browser
def test_a_report_on_hostile_words(browser, swept, hostile, tmp_path):
    subject = of_result(swept._ran)
    failures = polars.DataFrame({"stations": [2], "tcp": [HOSTILE[1]], "seed": [1], "reason": [HOSTILE[0]]})
    sweep = replace(subject.sweep, name=HOSTILE[0], set={"a": HOSTILE[3]})
    commands = [{"command": HOSTILE[0], "started": HOSTILE[1]}]
    told = replace(subject, sweep=sweep, data=hostile, failures=failures, commands=commands)
    file = tmp_path / "report.html"
    file.write_text(render(told))
    with browser.page(file) as page:
        for wide in WIDTHS:
            readable(page, wide)
        page.evaluate("document.querySelector('th button').click()")
        assert page.evaluate("document.querySelector('th[aria-sort]') !== null")
        harmless(page)


def unrun(name, **words):
    """The report of a study before any of its runs has ended, with other words."""
    planned = plan(Request(name, (), True, 1, None), Common())
    measured = Measurements()
    for cell, checked in planned.cells:
        measured.add(Row(cell, checked.parameters))
    judged = judgement(planned.study, measured, setups=True)
    return study_page(replace(planned, study=replace(planned.study, **words)), {}, judged, [])


@pytest.fixture(scope="module")
def studied():
    """The report of the study with the most set-ups."""
    return unrun("ghosh", title=HOSTILE[0], source=HOSTILE[1], summary=HOSTILE[5])


def test_code_in_the_words_of_a_study_is_marked():
    page = unrun("anomaly")
    assert "<code>heusse/cell</code>" in page
    assert "`" not in re.sub(r"(?s)<(script|style)>.*?</\1>", "", page)


@needs_browser
def test_a_study_on_all_screens(browser, studied, tmp_path):
    file = tmp_path / "report.html"
    file.write_text(studied)
    align = """[...document.querySelectorAll(".claim .verdicts")].every((row) => {
      const lefts = [...row.querySelectorAll(".badge")].map((one) => Math.round(one.getBoundingClientRect().left));
      return lefts.length === 7 && lefts.every((left) => left >= Math.round(row.getBoundingClientRect().left));
    })"""
    narrow = """Math.min(...[...document.querySelectorAll(".claim .sentence")].map((one) => one.clientWidth ||
      one.getBoundingClientRect().width))"""
    with browser.page(file) as page:
        for wide in WIDTHS:
            readable(page, wide)
            assert page.evaluate(align), wide
            assert page.evaluate(narrow) > 0.6 * min(wide, 620) - 60, wide
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        for wide in (360, 1100):
            readable(page, wide)
        harmless(page)


@needs_browser
def test_both_runs_of_a_timeline_on_a_telephone(browser, tmp_path):
    made = af.timeline("jung/mixed", compare={"tcp": ["reno", "vegas"]}, duration="20 s")
    file = tmp_path / "timeline.html"
    file.write_text(made.html)
    axes = """[...document.querySelectorAll(".plot")].filter((plot) => plot.getClientRects().length).flatMap((plot) => {
      const svg = plot.querySelector("svg"), box = svg.getBoundingClientRect(), wide = svg.viewBox.baseVal.width;
      return [...plot.querySelectorAll(".axis")].map(({ dataset }) => box.left + dataset.right * box.width / wide);
    })"""
    readout = "document.getElementById('readout').hidden ? '' : document.getElementById('readout').textContent"
    with browser.page(file) as page:
        for wide in WIDTHS:
            readable(page, wide)
            ends = page.evaluate(axes)
            # Both columns at once, or one above the other; between these they scroll.
            assert len(ends) == 2 and (max(ends) < wide or 800 <= wide < 1280), wide
            assert len(page.evaluate(MARKS)) == 1 and page.evaluate(MARKS)[0] > 20
        page.width(420)
        page.evaluate("document.getElementById('time').focus()")
        page.press("ArrowRight")
        told = page.evaluate("document.getElementById('values').textContent")
        assert "tcp = reno" in told and "tcp = vegas" in told and "packets" in told
        place = """(() => {
          const svg = document.querySelector(".stacked svg"), axis = svg.querySelectorAll(".axis")[1].dataset;
          svg.scrollIntoView({ block: "end" });
          const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
          return [box.left + (+axis.left + 50) * scale, box.top + (+axis.bottom - 20) * scale];
        })()"""
        page.tap(*page.evaluate(place))
        assert "tcp = vegas" in page.evaluate(readout)
        assert page.evaluate("document.querySelectorAll('details tbody tr').length") >= 8
        harmless(page)


@needs_browser
def test_the_slider_of_a_timeline_says_its_time_and_how_many_windows_it_leaves_out(browser, tmp_path):
    file = tmp_path / "timeline.html"
    file.write_text(af.timeline("wifi/home", duration="6 s", start="6 s", end="8 s").html)
    with browser.page(file) as page:
        told = "document.getElementById('time').getAttribute('aria-valuetext')"
        assert page.evaluate(told) == "6.0000 s" == page.evaluate("document.querySelector('output').textContent")
        page.evaluate("(time => { time.value = 500; time.dispatchEvent(new Event('input')); })(time)")
        assert page.evaluate(told) == "7.0000 s"
        windows = page.evaluate("document.getElementById('values').textContent").partition("windows in segments ")[2]
        values = [float(value) for value in re.findall(r" ([\d.]+)(?:,|$)", windows)]
        assert values[:16] == sorted(values, reverse=True)[:16] and re.search(r", and \d+ more$", windows)
        harmless(page)
