"""The playground: its numbers are the command's to the last digit, and it works as a user expects."""

import base64
import gzip
import json
import os
import re
import tomllib
from html import unescape
from urllib.parse import quote

import pytest
from browser import UNREADABLE, WIDTHS, Browser, needs_browser, on_paper
from conftest import call

import airfair as af
from airfair.catalogue import graded
from airfair.catalogue.left_out import told
from airfair.pages.playground import PAGE

pytestmark = pytest.mark.skipif(
    not PAGE.is_file(),
    reason="the playground is not built: `make playground` needs Rust's target wasm32-unknown-unknown",
)

#: Short runs of each scenario that the page has, with settings of every kind.
RUNS = {
    "wifi/home": [("duration", "4 s"), ("policy", "mac80211"), ("far_distance", "25 m")],
    "jung/mixed": [("duration", "20 s"), ("tcp", "vegas"), ("stations", "6")],
    "blefari/hotspot": [("duration", "10 s"), ("policy", "rate_limiter"), ("limiter_rate", "2 Mb/s")],
}
#: A state that is computed soon.
SHORT = "scenario=jung/mixed&seed=3&seeds=2&a.duration=20 s"
HOME = "scenario=wifi/home&a.duration=2 s"
READY = "document.getElementById('metrics').dataset.seeds === '{}'"
#: Requests of a page for other things than its own parts.
OUTSIDE = re.compile(r"^(?!blob:|data:)")


def options(settings):
    return [word for name, value in settings for word in ("--set", f"{name}={value}")]


class Engine:
    """The engine of the page, in another host than a browser."""

    def __init__(self, module: bytes) -> None:
        wasmtime = pytest.importorskip("wasmtime", reason="wasmtime is not installed")
        self._store = wasmtime.Store()
        instance = wasmtime.Instance(self._store, wasmtime.Module(self._store.engine, module), [])
        self._exports = instance.exports(self._store)

    def _call(self, name, *arguments):
        return self._exports[name](self._store, *arguments)

    def ask(self, **request):
        sent = json.dumps(request).encode()
        self._exports["memory"].write(self._store, sent, self._call("input", len(sent)))
        at = self._call("answer")
        return json.loads(self._exports["memory"].read(self._store, at, at + self._call("length")))


@pytest.fixture(scope="module")
def engine():
    packed = re.search(r'id="engine" hidden><!--([^-]*)-->', PAGE.read_text())
    assert packed
    return Engine(gzip.decompress(base64.b64decode(packed[1])))


def test_the_page_is_small():
    assert len(gzip.compress(PAGE.read_bytes())) < 1_500_000


@pytest.mark.parametrize("scenario", RUNS)
def test_numbers_are_those_of_the_command(engine, scenario):
    settings = RUNS[scenario]
    answer = engine.ask(ask="run", setting={"scenario": scenario, "set": settings}, seed=2, seeds=2)["ok"]
    printed = call("run", scenario, *options(settings), "--seed", "2", "--seeds", "2", "--json").stdout
    # Texts are compared, so that not even the last digit may differ.
    assert json.dumps(answer["document"]) == json.dumps(json.loads(printed))
    file = engine.ask(ask="load", setting={"scenario": scenario, "set": settings})["ok"]["toml"]
    assert file == json.loads(call("show", scenario, *options(settings), "--json").stdout)["toml"]


def test_words_are_those_of_the_command(engine):
    """Intervals of few seeds exceed the range of their metric: both cut them there."""
    settings = [("duration", "5 s")]
    answer = engine.ask(ask="run", setting={"scenario": "blefari/hotspot", "set": settings}, seed=1, seeds=3)["ok"]
    wide = os.environ | {"COLUMNS": "300"}
    printed = call("run", "blefari/hotspot", *options(settings), "--seeds", "3", env=wide).stdout
    rows = {line.split()[0]: " ".join(line.split()) for line in printed.splitlines() if line.strip()}
    cut = 0
    for name, metric in answer["document"]["metrics"].items():
        words = answer["words"][name]
        assert rows[name].startswith(f"{name} {words['value']} {words['interval'] or ''}".rstrip()), rows[name]
        cut += metric["ci95"] is not None and words["ends"] != metric["ci95"]
    assert cut > 3


def test_a_fault_names_its_parameter(engine):
    bad = {"scenario": "jung/mixed", "set": [("period", "10")]}
    told = engine.ask(ask="run", setting=bad, seed=1, seeds=1)
    assert told["parameter"] == "period" and told["error"].endswith(f"parameters.period: {told['reason']}")


def test_the_picture_is_the_commands(engine):
    column = {"title": "", "setting": {"scenario": "jung/mixed", "set": RUNS["jung/mixed"]}}
    answer = engine.ask(ask="timeline", columns=[column], seed=1, axis=900, beside=True)["ok"]
    drawn = af.timeline("jung/mixed", **dict(RUNS["jung/mixed"]))
    [run] = drawn.document["runs"]
    assert all(run[name] == answer["runs"][0][name] for name in ("sessions", "queues", "windows", "air"))
    # The page has its own title; all panels are the same.
    panels = [re.search(r"<text xml:space.*<g data-left", svg, re.DOTALL) for svg in (drawn.svg, answer["svg"])]
    assert all(panels) and panels[0][0].count("<path") == panels[1][0].count("<path") > 5


def test_the_rule_behind_the_grades_is_the_commands():
    shown = re.search(r'id="rule".*?<tbody>(.*?)</tbody>', PAGE.read_text(), re.DOTALL)
    assert shown
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", shown[1])]
    rules = af.describe("grades")["grades"]
    wanted = [[*cells, rule["source"]] for rule, cells in zip(rules, graded.rule_rows(rules), strict=True)]
    assert [[unescape(cell) for cell in row] for row in rows] == wanted


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = Browser(tmp_path_factory.mktemp("profile"))
    yield found
    found.close()


@pytest.fixture
def page(browser):
    """The page with a state that is computed soon."""
    with browser.page(PAGE) as found:
        found.width(1400)
        go(found, SHORT)
        found.until(READY.format(2))
        yield found


def go(page, state):
    page.evaluate(f"location.hash = {json.dumps('#' + quote(state, safe='=&/.'))}, true")


def choose(page, control, value):
    """Change a control as a user does."""
    script = f"const it = document.getElementById('{control}'); it.value = {json.dumps(value)};"
    page.evaluate(f"(() => {{ {script} it.dispatchEvent(new Event('change')); }})()")


def sound(page):
    """Nothing went wrong, and nothing was asked of the network."""
    # A test changes the address without a user's touch; browsers then note that "back" may skip it.
    assert [told for told in page.complaints if "NavigationEntryMarkedSkippable" not in told] == []
    assert [address for address in page.requests if OUTSIDE.match(address)] == []


def means(page):
    script = "[...document.querySelectorAll('#metrics tbody tr')].map((row) => row.innerText.split(/\\s*\\t\\s*|\\n/))"
    return page.evaluate(script)


#: The values of setting A on the page with all their digits, by metric.
DIGITS = """Object.fromEntries([...document.querySelectorAll('#metrics tbody tr')].map((row) =>
  [row.querySelector('code').textContent, row.querySelector('td data').value]))"""


@needs_browser
@pytest.mark.parametrize("slow", [1, 4])
def test_the_first_result_comes_without_network(browser, slow, record_testsuite_property):
    """A slow processor stands for a telephone. Times depend on the machine: they are recorded (`--junit-xml`)."""
    with browser.page(PAGE, slow=slow) as page:
        for stage, there in {
            "story": "document.querySelector('#story-timeline svg') !== null",
            "first_result": "Number(document.getElementById('metrics').dataset.seeds) >= 1",
            "picture": "document.querySelector('#lab-timeline svg') !== null",
            "all_seeds": READY.format(5),
        }.items():
            page.until(there)
            record_testsuite_property(f"{stage}_ms_slow_{slow}", round(page.evaluate("performance.now()")))
        assert page.evaluate("document.querySelectorAll('.plan:not([hidden]) .grade').length") >= 12
        sound(page)


#: What has the focus: its id, or its label.
FOCUSED = (
    "document.activeElement.id || document.activeElement.getAttribute('aria-label') || document.activeElement.tagName"
)


@needs_browser
def test_the_laboratory_by_keyboard_on_a_slow_processor(page):
    page.call("Emulation.setCPUThrottlingRate", rate=4)
    page.evaluate("document.getElementById('lab').focus()")
    reached = []
    while not reached or (reached[-1] != "b-tcp" and len(reached) < 60):
        page.press("Tab")
        reached.append(page.evaluate(FOCUSED))
        if reached[-1] == "compare" and not page.evaluate("document.activeElement.checked"):
            page.press(" ")
    bar = ["scenario", "seed", "seeds", "compare", "reset", "share"]
    assert reached[:6] == bar, reached
    controls = [f"{side}-{name}" for name in ("stations", "tcp") for side in "ab"]
    assert [name for name in reached if name in controls] == controls
    # A choice by an arrow key, and a slider.
    page.press("ArrowDown")
    page.until("location.hash.includes('b.tcp=')")
    slider = ".parameter:has(#a-stations) .of-a input[type=range]"
    page.evaluate(f"document.querySelector('{slider}').focus()")
    page.press("ArrowRight")
    page.until("location.hash.includes('a.stations=')")
    page.until(READY.format(2))
    page.evaluate("document.querySelector('#metrics summary').focus()")
    page.press("Enter")
    assert len(page.evaluate("document.querySelector('#metrics details[open] p').innerText")) > 20
    sound(page)


@needs_browser
def test_a_definition_stays_open_while_results_come_in(page):
    page.evaluate(
        "document.querySelector('#metrics summary').click(); document.querySelector('#metrics summary').focus()"
    )
    choose(page, "seeds", "5")
    page.until(READY.format(5))
    assert page.evaluate("document.querySelector('#metrics details').open")
    assert page.evaluate("document.activeElement.closest('#metrics details') !== null")


@needs_browser
def test_controls_stay_above_their_results_on_a_telephone(page):
    page.width(360, high=700)
    page.evaluate("document.querySelector('#metrics tbody tr').scrollIntoView({ block: 'center' })")
    top, low, found = page.evaluate("""(() => {
      const controls = document.getElementById('controls').getBoundingClientRect();
      return [controls.top, controls.bottom, document.querySelector('#metrics tbody tr').getBoundingClientRect().top];
    })()""")
    assert 0 <= top < low <= found < 700


@needs_browser
def test_numbers_on_the_page_are_the_commands(page):
    printed = json.loads(
        call("run", "jung/mixed", *options([("duration", "20 s")]), "--seed", "3", "--seeds", "2", "--json").stdout
    )
    shown = page.evaluate(DIGITS)
    assert len(shown) > 5
    # JavaScript and Python write the shortest digits that give the same number back.
    for name, digits in shown.items():
        value = printed["metrics"][name]["value"]
        assert value is None if digits == "" else float(digits) == value, name
    command = page.evaluate("document.querySelector('#elsewhere .command code').textContent")
    assert command == "airfair run jung/mixed --set 'duration=20 s' --seed 3 --seeds 2"
    assert page.evaluate("document.getElementById('seeds').value") == "2"
    page.evaluate("document.querySelector('#elsewhere details').open = true")
    page.until("document.querySelector('#elsewhere pre').textContent !== ''")
    assert (
        tomllib.loads(page.evaluate("document.querySelector('#elsewhere pre').textContent"))["run"]["duration"]
        == "20 s"
    )
    sound(page)


@needs_browser
def test_a_mean_says_how_many_sessions_it_leaves_out(page):
    starved = [("stations", "8"), ("session_bytes", "400 kB"), ("duration", "20 s"), ("warmup", "5 s")]
    state = "&".join(f"a.{name}={value}" for name, value in starved)
    go(page, f"scenario=jung/mixed&seed=1&seeds=3&{state}")
    page.until(READY.format(3) + " && document.getElementById('a-stations')?.value === '8'")
    printed = json.loads(call("run", "jung/mixed", *options(starved), "--seeds", "3", "--json").stdout)
    mean = printed["metrics"]["finish_time_acked_mean"]
    assert 0 < mean["left_out"] < mean["sessions"]
    [row] = [row for row in means(page) if "finish_time_acked_mean" in row]
    assert told(mean["left_out"], mean["sessions"]) in row
    [row] = [row for row in means(page) if "throughput_total" in row]
    assert "left out" not in " ".join(row)
    sound(page)


@needs_browser
def test_a_slider_changes_the_result_and_the_address(page):
    before = means(page)
    page.evaluate(
        "(() => { const slider = document.querySelector('.parameter:has(#a-stations) input[type=range]');"
        "slider.value = 6; slider.dispatchEvent(new Event('input')); })()"
    )
    stations = page.evaluate("document.getElementById('a-stations').value")
    assert stations != "4" and f"a.stations={stations}" in page.evaluate("location.hash")
    page.until(READY.format(2))
    assert means(page) != before
    sound(page)


@needs_browser
def test_two_settings_side_by_side(page):
    page.evaluate("document.getElementById('compare').click()")
    choose(page, "b-tcp", "vegas")
    choose(page, "b-duration", "20 s")
    page.until(READY.format(2) + " && document.querySelectorAll('#metrics thead th').length === 5")
    page.until("document.querySelectorAll('#metrics td.certain, #metrics td.open').length > 5")
    assert (
        len(page.evaluate("[...document.querySelectorAll('#elsewhere .command code')].map((it) => it.textContent)"))
        == 2
    )
    page.until("document.querySelectorAll('#lab-timeline .axis').length === 2")
    sound(page)


@needs_browser
def test_a_link_restores_the_state(browser, page):
    go(page, f"{HOME}&seed=5&seeds=1&compare=1&a.camera_distance=30 m&b.duration=2 s&b.policy=airtime")
    there = READY.format(1) + " && document.getElementById('a-camera_distance')?.value === '30 m'"
    page.until(there)
    link = page.evaluate("location.hash")
    with browser.page(PAGE) as other:
        other.evaluate(f"location.hash = {json.dumps(link)}, true")
        other.until(there)
        assert other.evaluate("document.getElementById('b-policy').value") == "airtime"
        assert other.evaluate(
            "[document.getElementById('seed').value, document.getElementById('compare').checked]"
        ) == ["5", True]
        assert means(other) == means(page)
        sound(other)


@needs_browser
def test_a_device_is_moved_by_keys_and_by_pointer(page):
    go(page, f"{HOME}&seed=1&seeds=1")
    page.until(READY.format(1) + " && document.querySelector('[data-parameter=call_distance]') !== null")
    handle = "document.querySelector('[data-parameter=call_distance]')"
    page.evaluate(f"{handle}.focus()")
    page.press("ArrowRight")
    page.until("location.hash.includes('a.call_distance=7+m')")
    assert page.evaluate(f"document.activeElement === {handle}"), "the handle keeps the focus"
    page.evaluate(f"{handle}.scrollIntoView({{block: 'center'}})")
    x, y = page.evaluate(
        f"(() => {{ const box = {handle}.getBoundingClientRect(); return [box.x + 10, box.y + 10]; }})()"
    )
    for kind, at in (("mousePressed", x), ("mouseMoved", x + 60), ("mouseReleased", x + 60)):
        page.call("Input.dispatchMouseEvent", type=kind, x=at, y=y, button="left", buttons=1, clickCount=1)
    page.until("!location.hash.includes('a.call_distance=7+m')")
    page.until(READY.format(1))
    sound(page)


@needs_browser
def test_graphs_of_intervals_end_where_the_range_does(page):
    """A mean stands in the middle of its interval, but not where the interval is cut."""
    go(page, "scenario=blefari/hotspot&seeds=3&a.duration=5 s")
    page.until("document.getElementById('a-duration')?.value === '5 s' && " + READY.format(3))
    middles = page.evaluate("""[...document.querySelectorAll('#metrics tbody tr:has(svg)')]
      .filter((row) => row.querySelector('.between').textContent.startsWith('0 to'))
      .map((row) => ['x1', 'x2'].map((end) => Number(row.querySelector('line').getAttribute(end)))
        .concat(Number(row.querySelector('circle').getAttribute('cx'))))""")
    assert len(middles) > 2
    assert all(mean < (low + high) / 2 - 1 for low, high, mean in middles)


@needs_browser
@pytest.mark.parametrize("wide", [360, 1400])
def test_bad_values_are_told_below_their_field_in_the_engines_words(page, wide):
    page.width(wide, high=700)
    page.evaluate("document.getElementById('a-period').scrollIntoView({ block: 'center' })")
    page.evaluate("document.getElementById('a-period').focus({ preventScroll: true })")
    choose(page, "a-period", "10")
    note = "document.getElementById('a-period-fault')"
    page.until(f"!document.getElementById('trouble').hidden && !{note}.hidden")
    assert "period" in page.evaluate("document.getElementById('trouble').textContent")
    reason = page.evaluate(f"{note}.textContent")
    assert reason.startswith("`10` is a bare number") and "parameters." not in reason
    field = "document.getElementById('a-period')"
    assert page.evaluate(f"[{field}.getAttribute('aria-invalid'), {field}.getAttribute('aria-describedby')]") == [
        "true",
        "a-period-fault",
    ]
    assert page.evaluate(f"""(() => {{
      const box = {note}.getBoundingClientRect();
      return {note}.contains(document.elementFromPoint(box.x + 5, box.y + box.height / 2));
    }})()"""), "the message is in view"
    assert page.evaluate("document.getElementById('progress').textContent") == "Not run"
    assert "…" not in page.evaluate("document.getElementById('metrics').textContent")
    page.evaluate("document.getElementById('reset').click()")
    page.until(f"document.getElementById('trouble').hidden && {note}.hidden && !{field}.hasAttribute('aria-invalid')")


@needs_browser
def test_of_two_settings_the_bad_one_is_told(page):
    page.evaluate("document.getElementById('compare').click()")
    choose(page, "b-duration", "20 s")
    page.until(READY.format(2) + " && document.querySelectorAll('#metrics thead th').length === 5")
    choose(page, "b-period", "10")
    page.until("!document.getElementById('trouble').hidden")
    assert page.evaluate("document.getElementById('progress').textContent") == "A: 2 of 2 seeds; B: not run"
    assert page.evaluate("document.getElementById('a-period-fault').hidden")
    assert not page.evaluate("document.getElementById('b-period-fault').hidden")
    page.evaluate("document.getElementById('compare').click()")
    page.until("document.getElementById('trouble').hidden")


@needs_browser
def test_a_bad_parameter_that_is_not_shown_yet_is_shown(page):
    go(page, f"{SHORT}&a.segment_bytes=many")
    page.until("document.getElementById('a-segment_bytes-fault')?.hidden === false")
    assert page.evaluate("document.getElementById('more').open")


TROUBLE = "document.getElementById('trouble').textContent"
ADDRESS = "location.hash"


@needs_browser
@pytest.mark.parametrize("link", ["scenario=lee/path&a.tcp=vegas&seed=3&seeds=1", "seed=3&seeds=1"])
def test_nothing_is_used_of_a_link_without_a_known_scenario(page, link):
    go(page, link)
    page.until(f"{TROUBLE}.includes('nothing of it is used')")
    address = page.evaluate(ADDRESS)
    page.call("Page.reload")
    page.until("document.getElementById('a-policy')?.value && document.getElementById('seeds').value === '5'")
    told = page.evaluate(TROUBLE)
    assert "wifi/home, jung/mixed, blefari/hotspot" in told and ("lee/path" in told) is ("lee" in link)
    assert page.evaluate(ADDRESS) == address and "lee" not in page.evaluate(
        "document.getElementById('title').textContent"
    )
    # The page's own first finding stands in its stead.
    assert page.evaluate("['a-tcp', 'b-policy'].map((id) => document.getElementById(id).value)") == [
        "cubic",
        "mac80211",
    ]
    assert page.evaluate("document.getElementById('seed').value") == "1"
    choose(page, "seeds", "1")
    page.until("document.getElementById('trouble').hidden")
    assert "scenario=wifi" in page.evaluate(ADDRESS) and "seeds=1" in page.evaluate(ADDRESS)


@needs_browser
def test_what_a_link_has_and_the_page_cannot_use_is_told(page):
    bad = {"seed": "-3", "seeds": "abc", "compare": "yes", "sed": "4"}
    go(page, "scenario=jung/mixed&a.duration=20 s&" + "&".join(f"{name}={value}" for name, value in bad.items()))
    page.until("!document.getElementById('trouble').hidden")
    told = page.evaluate(TROUBLE)
    for name, value in bad.items():
        assert f"{name} = {value} of the link is not used" in told
    assert "whole number from 0 to 9007199254740991" in told and "whole number from 1 to 999" in told
    assert "seeds=abc" in page.evaluate(ADDRESS)
    page.until(READY.format(5))
    assert "seeds = abc" in page.evaluate(TROUBLE), "it stays while the runs go on"
    choose(page, "a-duration", "21 s")
    page.until("document.getElementById('trouble').hidden")
    assert "seeds=5" in page.evaluate(ADDRESS)


@needs_browser
@pytest.mark.parametrize("seed", ["-1", "1.5", "", "9007199254740992"])
def test_a_bad_seed_is_told(page, seed):
    choose(page, "seed", seed)
    field, note = "document.getElementById('seed')", "document.getElementById('seed-fault')"
    assert "whole number from 0" in page.evaluate(f"{note}.textContent") and not page.evaluate(f"{note}.hidden")
    assert page.evaluate(f"[{field}.getAttribute('aria-invalid'), {field}.getAttribute('aria-describedby')]") == [
        "true",
        "seed-fault",
    ]
    choose(page, "a-tcp", "vegas")
    assert page.evaluate(f"{field}.value") == seed and "seed=3&" in page.evaluate(ADDRESS)
    choose(page, "seed", "7")
    assert page.evaluate(f"{note}.hidden && !{field}.hasAttribute('aria-invalid')")
    assert "seed=7&" in page.evaluate(ADDRESS)
    choose(page, "seed", seed)
    page.evaluate("document.getElementById('reset').click()")
    assert page.evaluate(f"{field}.value === '7' && {note}.hidden")


@needs_browser
def test_back_brings_a_finding_back(page):
    finding = page.evaluate(ADDRESS)
    leave = {
        "another scenario": lambda: choose(page, "scenario", "blefari/hotspot"),
        "defaults": lambda: page.evaluate("document.getElementById('reset').click()"),
        "the story's end": lambda: page.evaluate(
            "document.querySelectorAll('.steps button')[5].click(), document.getElementById('next').click()"
        ),
    }
    for what, act in leave.items():
        act()
        page.until(f"{ADDRESS} !== {json.dumps(finding)}")
        page.evaluate("history.back()")
        page.until(f"{ADDRESS} === {json.dumps(finding)} && document.getElementById('a-duration')?.value === '20 s'")
        page.until(f"document.getElementById('scenario').value === 'jung/mixed' && {READY.format(2)}")
        assert page.evaluate("document.getElementById('compare').checked") is False, what
    # Of many changes of a slider Back need not undo each.
    entries = page.evaluate("history.length")
    choose(page, "a-stations", "6")
    assert page.evaluate("history.length") == entries


@needs_browser
def test_who_skips_the_story_keeps_the_finding(page):
    finding = page.evaluate(ADDRESS)
    page.evaluate("document.querySelector('.skip').click()")
    assert page.evaluate("document.activeElement.id") == "lab" and page.evaluate(ADDRESS) == finding


@needs_browser
def test_regions_have_names_of_their_own(page):
    page.until("document.querySelectorAll('.timeline svg').length === 2")
    names = page.evaluate(
        "[...document.querySelectorAll('[role=region]')].map((one) => one.getAttribute('aria-label'))"
    )
    assert len(names) >= 5 and len(set(names)) == len(names), names


@needs_browser
def test_paper_is_white_and_has_the_settings(page):
    go(page, f"{SHORT}&compare=1&a.tcp=vegas&b.duration=20 s")
    page.until(READY.format(2) + " && document.querySelectorAll('#lab-timeline .axis').length === 2")
    on_paper(page)
    settings = page.evaluate("document.getElementById('settings').innerText")
    assert settings == "2 seeds, from 3 on. A: duration = 20 s, tcp = vegas. B: duration = 20 s."
    page.call("Emulation.setEmulatedMedia", media="screen")
    assert page.evaluate("document.getElementById('settings').checkVisibility()") is False


@needs_browser
def test_the_story_is_told_by_keyboard(page):
    page.until("document.getElementById('step-text').textContent !== ''")
    page.evaluate("document.getElementById('next').focus()")
    told = set()
    for step in range(1, 7):
        page.until(f"document.getElementById('step-title').textContent.startsWith('{step}.')")
        page.until("document.querySelector('#story-timeline [aria-busy]') === null")
        told.add(page.evaluate("document.getElementById('step-text').textContent"))
        if step < 6:
            before = page.evaluate("document.getElementById('step-text').textContent")
            page.press("Enter")
            page.until(f"document.getElementById('step-text').textContent !== {json.dumps(before)}")
    assert len(told) == 6 and not any("undefined" in words or "null" in words for words in told)
    page.evaluate("document.querySelector('#story-timeline .player button').click()")
    page.until("document.querySelector('#story-timeline .player button').getAttribute('aria-label') === 'Pause'")
    page.evaluate("document.querySelector('#story-timeline .picture').focus()")
    axis = "document.querySelector('#story-timeline svg').textContent"
    before = page.evaluate(axis)
    page.press("+")
    page.until(f"{axis} !== {json.dumps(before)}")
    sound(page)


#: Results that one must scroll sideways to see whole.
CUT = """[...document.querySelectorAll(".found > .scroll, .picture")]
  .filter((box) => box.scrollWidth > box.clientWidth)
  .map((box) => `${box.className}: ${box.scrollWidth} of ${box.clientWidth} px`)"""


@needs_browser
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_all_screens_and_can_be_read(page, dark):
    go(page, f"{HOME}&seed=1&seeds=2&compare=1&b.duration=2 s&b.policy=mac80211")
    page.until(READY.format(2) + " && document.querySelector('.plan:not([hidden]) .grade') !== null")
    for wide in WIDTHS:
        page.width(wide, dark=dark)
        page.evaluate("new Promise((done) => setTimeout(() => done(true), 260))")
        page.until("document.querySelector('[aria-busy]') === null")
        assert page.evaluate(UNREADABLE) == [], wide
        assert page.evaluate("document.documentElement.scrollWidth") <= wide
        assert page.evaluate(CUT) == [], wide
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") is not dark
    sound(page)


def test_the_command_says_where_the_page_is(airfair):
    finished = airfair("playground", "--no-browser")
    assert finished.returncode == 0 and finished.stdout == f"playground: {PAGE}\n"
    assert json.loads(airfair("playground", "--no-browser", "--json").stdout) == {"page": str(PAGE)}
