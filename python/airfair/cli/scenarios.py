"""Commands on scenarios: run one, show it, check it, describe it."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from airfair.cli.app import command
from airfair.cli.options import DRY_RUN, ENGINE, JOBS, METRICS, RESULTS, SCENARIO, argument, option
from airfair.runs import SEED_LIMIT

if TYPE_CHECKING:
    from airfair.command import Common


class Format(StrEnum):
    """A further format in which a run is written."""

    FLENT = "flent"


@command(
    "airfair run jung/mixed --set tcp=vegas --seeds 10 --out results",
    "airfair run lee/path --set 'wireless=20 Mb/s' --set loss=0.1% --json",
    "airfair run jung/mixed --metrics jain,finish_time_delivered_median",
    "airfair run jung/mixed --trace cwnd,queue --out results",
    "airfair run jung/mixed --set duration='5 s' --pcap run.pcapng",
    "airfair run flent/rrul --set tcp=bbr --format flent --out results",
    "airfair run wifi/home --seeds 10 --require 'voice_mos_min >= 3.6'",
    short_help="Run a scenario and show its metrics with 95 % intervals.",
    out=RESULTS,
)
def run(
    scenario: str = SCENARIO,
    seeds: int = option("--seeds N", "Number of seeds to run.", 1, min=1, max=SEED_LIMIT),
    trace: str = option(
        "--trace LIST",
        "Record over time: cwnd, ssthresh, rtt, queue, acked, drops, backlog, air.",
        "",
        offers="traces_listed",
    ),
    pcap: Path | None = option(
        "--pcap FILE", "Write every frame on the air, headers only, as pcapng for Wireshark. One seed only."
    ),
    metrics: str = METRICS,
    dry_run: bool = DRY_RUN,
    jobs: int | None = JOBS,
    engine: str | None = ENGINE,
    format: Format | None = option(
        "--format flent", "With --out, write each run for Flent, too: its plots lay it beside what Flent measured."
    ),
    require: list[str] | None = option(
        "--require 'METRIC >= X'",
        "Exit with status 1 unless this holds for the mean over the seeds; >= or <=; repeat for more.",
        offers="metrics",
    ),
    *,
    common: "Common",
) -> int:
    """Run a scenario and show its metrics, with 95 % confidence intervals over the seeds.

    With --out: run.json, and metrics, sessions, flows, stations, links (and series) as Parquet.
    """
    from airfair.catalogue.parameters import names_of
    from airfair.runs import command as body

    asked = body.Asked(
        seeds=seeds,
        traces=tuple(names_of(trace)),
        pcap=pcap,
        metrics=metrics,
        jobs=jobs,
        engine=engine,
        dry_run=dry_run,
        for_flent=format is Format.FLENT,
        require=tuple(require or ()),
    )
    return body.run(scenario, common, asked)


@command("airfair show jung/mixed > mine.toml", seed=None)
def show(scenario: str = SCENARIO, *, common: "Common") -> int:
    """Print a scenario as TOML: the place to start your own from."""
    from airfair.runs import scenarios as body

    return body.show(scenario, common)


@command(
    "airfair init mine.toml",
    "airfair init mine.toml --network 802.11ac --devices 8 --traffic calls",
    short_help="Write a scenario of your own to start from.",
    seed=None,
    set=False,
)
def init(
    file: Path = argument("FILE", "The scenario file to write."),
    network: str | None = option(
        "--network NAME", "802.11be, 802.11ax, 802.11ac, 802.11n, 802.11g, 802.11b or wire.", offers="networks"
    ),
    devices: int | None = option("--devices N", "Number of devices.", min=1),
    traffic: str | None = option(
        "--traffic NAME", "download, upload, mixed, calls, pages, streams or games.", offers="traffic"
    ),
    *,
    common: "Common",
) -> int:
    """Write a scenario with comments, which runs as it is, to start your own from.

    Asks for the network, the number of devices and their traffic, where no option says so; without a terminal they are
    802.11ax, 4 and mixed. Never overwrites a file.
    """
    from airfair.runs.start import init as body

    return body(file, network, devices, traffic, common)


@command("airfair check mine.toml --set stations=8", "airfair show jung/mixed | airfair check -", seed=None)
def check(file: str = argument("FILE", "A scenario file; - is standard input."), *, common: "Common") -> int:
    """Check a scenario file without running it.

    Tries each word that a parameter of the file has among its `choices`, with all else as it is, and warns of what is
    refused or hopeless. Standard input is checked as it is.
    """
    from airfair.runs import scenarios as body

    return body.check(file, common)


@command(
    "airfair fair-share jung/mixed",
    "airfair fair-share mine.toml --set devices=8 --seeds 5",
    short_help="Measure each user's fair share, for instantaneous fairness.",
)
def fair_share(
    scenario: str = SCENARIO,
    users: int | None = option("--users N", "How many users share.", unset="the scenario's, or one a flow", min=1),
    seeds: int = option("--seeds N", "Number of seeds for each user.", 3, min=1, max=SEED_LIMIT),
    jobs: int | None = JOBS,
    engine: str | None = ENGINE,
    *,
    common: "Common",
) -> int:
    """Measure each user's fair share: the rate that its TCP flow gets alone in the network, over the number of users.

    Each flow runs alone with data to send all the time: 5 s, then 20 s that count. Prints what to put into the
    scenario's [fair_share], which instantaneous fairness needs.
    """
    from airfair.runs.share import fair_share as body

    return body(scenario, common, users=users, seeds=seeds, jobs=jobs, engine=engine)


@command("airfair schema > airfair.schema.json", seed=None, set=False)
def schema(*, common: "Common") -> int:
    """Print the JSON Schema of scenario files, for editors."""
    from airfair.runs import scenarios as body

    return body.schema(common)


@command("airfair scenarios --json", seed=None, set=False)
def scenarios(*, common: "Common") -> int:
    """List the packaged scenarios."""
    from airfair.runs import scenarios as body

    return body.scenarios(common)


@command(
    "airfair describe jung/mixed",
    "airfair describe instantaneous_fairness_sent",
    "airfair describe metrics",
    "airfair describe fq_codel",
    "airfair describe tcp.rto_min",
    "airfair describe controls",
    "airfair describe airfair/Hotspot-v0",
    short_help="Describe whatever has a name.",
    seed=None,
    set=False,
)
def describe(
    name: str = argument(
        "NAME",
        "A scenario's name or file, a metric, a counter, a setting or a table of them, a parameter, a value such as "
        "vegas, a study; or a list: metrics, families, counters, grades, studies, environments, settings, controls, "
        "disciplines, recoveries, profiles.",
        offers="what_is_described",
    ),
    *,
    common: "Common",
) -> int:
    """Describe whatever has a name: a scenario's parameters, a metric's definition and source, a setting's values.

    A control or a discipline, such as vegas or fq_codel, has its own settings; it and a parameter name the scenarios
    that have it. A family of metrics, such as finish_time, lists its members. An environment of airfair.gym has its
    actions and rewards.
    """
    from airfair.described.command import command as body

    return body(name, common)
