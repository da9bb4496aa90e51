"""The benchmark's arithmetic and reports. No test depends on a speed."""

import dataclasses
import os
from collections import Counter
from pathlib import Path

import pytest

from bench import document, history, instructions, limit, parts, programs, readme, side_by_side, sizes
from bench.figures import Figure
from bench.history import Run
from bench.programs import HTSIM, ROOT, AirFair, Cost, Process, Repetition, build_htsim, htsim, htsim_sources
from bench.side_by_side import CASES, Costs, Round
from bench.sizes import Measured, Size

REPORT = {"bytes_once_warm": 4e3, "events_once_warm": 1000, "events": 2e9, "segments_sent": 2e9}


def cost(ns: float, goodput: float = 5e6) -> Cost:
    """The cost of a billion segments."""
    return Cost(ns, 0.001, 1e9, 16 << 20, goodput)


def rounds(ours: list[float], theirs: list[float], goodput: float = 5e6) -> list[Round]:
    return [Round(cost(our, goodput), cost(their)) for our, their in zip(ours, theirs, strict=True)]


def run(*figures: Figure) -> Run:
    return Run("2026-01-01", "abc1234", list(figures))


def test_a_change_counts_when_the_ranges_do_not_meet() -> None:
    before = Figure("ratio", 40, 38, 42, 5, larger_is_better=True)
    cases = {(41, 40, 43): "within the noise", (50, 43, 55): "BETTER", (30, 25, 37.9): "WORSE"}
    for (median, low, high), verdict in cases.items():
        assert history.verdict(before, Figure("ratio", median, low, high, 5, larger_is_better=True)) == verdict
    grown = Figure("growth", 6, 5.5, 6.5, 5, larger_is_better=False)
    assert history.verdict(grown, Figure("growth", 3, 2.9, 3.1, 5, larger_is_better=False)) == "BETTER"
    assert history.verdict(before, Figure.of("ratio", [80])) == "one pair: no telling"


def test_changes_name_the_old_and_the_new_value() -> None:
    before = run(Figure("ratio", 40, 38, 42, 5, larger_is_better=True))
    lines = history.changes(before, run(Figure.of("ratio", [50, 44, 48]), Figure.of("new", [1, 2])))
    assert lines[1].split() == ["ratio", "40", "(38", "to", "42)", "48", "(44", "to", "50)", "+20.0%", "BETTER"]
    assert lines[2].split() == ["new", "not", "measured", "1.5", "(1", "to", "2)"]


def test_a_run_is_compared_with_the_last_one_here_and_else_with_the_published_one(tmp_path: Path) -> None:
    assert history.last(tmp_path) is None
    first, second = run(Figure.of("ratio", [1])), run(Figure.of("ratio", [2, 3]))
    history.store(tmp_path, first, publish=True)
    history.store(tmp_path, second, publish=False)
    assert history.last(tmp_path) == second
    (tmp_path / "history.jsonl").unlink()
    assert history.last(tmp_path) == first


def test_a_table_has_every_target_and_whether_it_is_met() -> None:
    figures = [Figure.of("fast", [70, 75, 72]), Figure.of("growth", [6.5], larger_is_better=False)]
    figures = [dataclasses.replace(figure, date="2026-01-01") for figure in figures]
    assert history.reached(figures, {"fast": 80, "growth": 3, "absent": 5})[2:] == [
        "| fast | at least 80 | **72 (70 to 75)** | missed | 2026-01-01 |",
        "| growth | at most 3 | **6.5 (6.5 to 6.5)** | missed | 2026-01-01 |",
        "| absent | 5 | not measured | | |",
    ]
    met = history.reached(figures, {"fast": 72, "growth": 6.6})[2:]
    assert [row.split(" | ")[-2] for row in met] == ["met", "met"]


def test_the_table_has_a_ratio_for_each_installed_simulator() -> None:
    costs = Costs(ns2=rounds([100, 200, 100], [9000, 16000, 8500]), report=REPORT)
    rows = side_by_side.rows(CASES[0], costs)
    assert len(rows) == 4
    assert "2000 s | ratio to ns-2 | **85.0x** (80.0 to 90.0; target 100x) | | | +0.0% |" in rows[2]
    # AirFair runs anew beside ns-3, with a cost per segment of its own.
    costs.ns3 = rounds([150, 200, 150], [150_000, 400_000, 150_000], goodput=5.5e6)
    rows = side_by_side.rows(CASES[0], costs)
    assert "8 stations, 2000 s | AirFair | 150 ns" in rows[3]
    assert "8 stations, 2000 s | ns-3 | 150,000 ns" in rows[4]
    assert rows[5].endswith("2000 s | ratio to ns-3 | **1,000x** (1,000 to 2,000; target 2,000x) | | | +10.0% |")


def test_csg_htsim_is_beside_the_dumbbell_alone() -> None:
    rows = side_by_side.rows(CASES[1], Costs(htsim=rounds([200, 200, 100], [2000, 1000, 900]), report=REPORT))
    assert "240 s | ratio to csg-htsim | **9.0x** (5.0 to 10.0; target 12x)" in rows[2]
    wanted = [set(side_by_side.targets(case)) for case in CASES]
    assert "bench/dumbbell, 100 flows: csg-htsim over AirFair" in wanted[1]
    assert not any("csg-htsim" in name for name in wanted[0])


def test_csg_htsim_is_built_from_sources_that_the_user_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools, checkout = tmp_path / "bin", tmp_path / "csg-htsim"
    tools.mkdir()
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    compiler = tools / "g++"
    compiler.write_text("""#!/bin/sh
for word; do last=$word; done
printf '#!/bin/sh\\necho "flows $1"\\necho "${2%%.*} 5e6"\\n' > "$last"
chmod +x "$last"
""")
    compiler.chmod(0o755)
    reason = f"csg-htsim is left out: {HTSIM} names no directory with its sources, or there is no g++"
    monkeypatch.delenv(HTSIM, raising=False)
    assert any(sentence.startswith(reason) for sentence in side_by_side.absent())
    monkeypatch.setenv(HTSIM, str(checkout))
    assert htsim_sources() is None
    (checkout / "sim").mkdir(parents=True)
    (checkout / "sim" / "eventlist.h").touch()
    assert not any(sentence.startswith(reason) for sentence in side_by_side.absent())
    assert htsim_sources() == checkout / "sim"
    program = build_htsim("dumbbell", checkout / "sim", tmp_path)
    measured = htsim(program, 100, 240.0)
    assert (measured.segments, measured.goodput_bps) == (240, 5e6)


def test_without_other_simulators_the_table_has_airfair_alone() -> None:
    rows = side_by_side.rows(CASES[0], Costs(alone=[cost(100)], report=REPORT))
    assert [row.split(" | ")[1] for row in rows] == ["AirFair", "AirFair, once warm"]


SLEEPER = """#!/usr/bin/env python3
import json, sys
told = dict(word.split("=") for word in sys.argv[2:])
report = {"segments": 10, "goodput_bps": 1.0}
with open(sys.argv[0] + ".log", "a") as log:
    log.write(told["duration"] + "\\n")
if told["duration"] == "1 ns":
    report = {"segments": 0, "goodput_bps": 0.0}
print(json.dumps(report))
"""


def test_the_cost_is_of_whole_processes_less_that_of_the_set_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "program"
    program.write_text(SLEEPER)
    program.chmod(0o755)
    # Python takes milliseconds to start, and the program does nothing else.
    monkeypatch.setattr(programs, "LEAST_S", 0.05)
    runs = AirFair(program).runs("bench/wlan", ["stations=8"], 40)
    assert (tmp_path / "program.log").read_text().splitlines() == ["1 ns", "40 s"] * len(runs)
    spent = [run.whole.cpu_s for run in runs]
    assert sum(spent) >= 0.05 > sum(spent[:-1])
    measured = programs.mean(runs)
    assert measured.segments == 10
    assert measured.set_up_s > 0.001
    assert measured.spent_s + measured.set_up_s == pytest.approx(sum(spent) / len(spent))
    assert measured.ns_per_segment == pytest.approx(measured.spent_s * 1e8)


def test_the_other_program_runs_between_two_rows_of_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    process = Process("", 2.0, 2.0, 1)
    report = {"segments": 10, "goodput_bps": 1.0, "segments_delivered": 5, "delivered_bps": 2.0}
    ran: list[str] = []

    def theirs(program: str, ns: float) -> Cost:
        ran.append(program)
        return cost(ns)

    def ours(_airfair: AirFair, *_arguments: object) -> list[Repetition]:
        ran.append("AirFair")
        return [Repetition(dataclasses.replace(process, cpu_s=1.0), process, report)]

    monkeypatch.setattr(AirFair, "runs", ours)
    monkeypatch.setattr(side_by_side, "has_ns2", lambda: True)
    monkeypatch.setattr(side_by_side, "has_ns3", lambda: True)
    monkeypatch.setattr(side_by_side, "build_ns3", lambda *_: Path("ns3"))
    monkeypatch.setattr(side_by_side, "ns2", lambda *_: theirs("ns-2", 200))
    monkeypatch.setattr(side_by_side, "ns3", lambda *_: theirs("ns-3", 400))
    costs = side_by_side.measure(CASES[0], AirFair(Path("airfair-bench")), 2)
    assert ran == ["AirFair", *("AirFair", "ns-2", "AirFair"), *("AirFair", "ns-3", "AirFair")] * 2
    assert [one.ours.segments for one in costs.ns2 + costs.ns3] == [10, 10, 5, 5]
    assert [one.theirs.ns_per_segment for one in costs.ns2 + costs.ns3] == [200, 200, 400, 400]


def test_growth_is_of_sizes_that_ran_side_by_side() -> None:
    def measured(sent: float) -> Measured:
        return Measured(cost(2 * sent), REPORT, None)

    figure = sizes.growth([[measured(100), measured(400)], [measured(200), measured(600)]])
    assert (figure.low, figure.median, figure.high) == (3, 3.5, 4)
    row = sizes.station_row(Size(64, 400, with_ns2=False), [measured(100), measured(200)])
    assert row == "| 64 | 400 s | 150 ns | 300 ns | 150 ns |  | 1.0 ms |"


def test_the_limit_adds_up_the_operations() -> None:
    report = {"events": 2.0, "event_ns": 10.0, "queue_passages": 6.0, "queue_passage_ns": 5.0, "draws": 0.0}
    report |= {"draw_ns": 3.0, "ns_per_segment": 200.0}
    assert limit.bare(report) == 50
    assert limit.row(CASES[1], [report]).endswith(
        "| 2.00 of 10.0 ns | 6.00 of 5.0 ns | none | 50 ns | 200 ns | **4.0x** |"
    )


def test_a_table_replaces_the_one_before(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nb\n")
    document.write(page, "bench", ["new", "table"])
    assert page.read_text() == "a\n<!-- bench:begin -->\nnew\ntable\n<!-- bench:end -->\nb\n"


def test_the_instructions_of_other_settings_are_compared_with_those_of_the_scenario_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def counted(_: AirFair, work: instructions.Work, seconds: int) -> tuple[Counter[int | None], float]:
        return Counter({16: seconds * 100, 32: seconds * 50 * len(work.settings), None: 7}), seconds

    files = {16: ["/rustc/1/library/core/src/num.rs", "/a/crates/core/src/time.rs", "/a/crates/net/src/link.rs"]}
    files[32] = ["/a/crates/tcp/src/congestion/bbr.rs", "/a/crates/tcp/src/sender.rs"]
    monkeypatch.setattr(instructions, "absent", list)
    monkeypatch.setattr(instructions, "counted", counted)
    monkeypatch.setattr(parts, "inlined", lambda _, addresses: {address: files[address] for address in addresses})
    tables, figures = instructions.measure(AirFair(Path("none")))
    found = {figure.name: figure.median for figure in figures}
    assert found["bench/dumbbell: instructions per segment sent"] == 100
    assert found["bench/dumbbell tcp=vegas: instructions over those of NewReno"] == 1.5
    assert found["bench/ax stations=64: instructions per segment sent"] == 150
    assert found.keys() >= instructions.targets().keys()
    titles = [cell.strip(" `") for cell in tables["parts"][0].split("|")]
    cells = {row.split("|")[1].strip(): [cell.strip() for cell in row.split("|")] for row in tables["parts"]}
    bbr = titles.index("bench/dumbbell profile=linux tcp=bbr")
    assert [cells[part][bbr] for part in ("Links, lines and routes", "TCP: congestion control")] == ["100", "100"]
    assert cells["All"][bbr] == "**200**"
    assert cells["TCP: congestion control"][titles.index("bench/wlan")] == ""
    assert "TCP: receiver" not in cells


def test_a_profile_counts_each_address_of_the_program_and_no_call_twice() -> None:
    profile = ["fn=(1) main", "ob=/a/program", "0x10 5 3", "cob=/lib/c.so", "calls=1 0x90", "0x11 5 800"]
    profile += ["0x12 6 4", "ob=/lib/c.so", "0x90 0 800", "ob=/a/program", "0x10 5 2", "totals: 809"]
    assert parts.by_address(profile, "/a/program") == {0x10: 5, 0x12: 4, None: 800}


def test_every_source_file_of_the_engine_has_its_part() -> None:
    engine = [
        path for crate in ("net", "queue", "sim", "tcp", "wifi") for path in (ROOT / "crates" / crate).rglob("*.rs")
    ]
    assert all(parts.part_of(str(path)) for path in engine)
    named = [start for starts in parts.PARTS.values() for start in starts]
    assert [start for start in named if not (ROOT / "crates" / start).exists()] == []
    assert len(named) == len(set(named))
    assert parts.part_of("/a/crates/tcp/src/core/losses.rs") == "TCP: losses and their recovery"
    assert parts.part_of("/a/crates/core/src/ring.rs") is None


def test_figures_that_are_not_measured_again_stay_those_published(tmp_path: Path) -> None:
    history.store(tmp_path, run(Figure.of("old", [1]), Figure.of("new", [2])), publish=True)
    assert [figure.median for figure in history.completed(tmp_path, [Figure.of("new", [3])])] == [1, 3]


def test_the_readme_has_the_published_ratios() -> None:
    published = history.published(ROOT / "bench")
    assert published is not None
    assert readme.point(published.figures) in readme.README.read_text()


def test_a_program_that_was_not_measured_is_left_out_of_the_readme() -> None:
    figure = Figure.of(side_by_side.name(CASES[0], "ns-3"), [1234, 1240])
    told = "multiple of AirFair's CPU time: ns-3 1,240 times with 8 stations of 802.11b ("
    assert told in readme.point([figure]).replace("\n ", "")
