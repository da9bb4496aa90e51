"""A camera walks away from the access point during a run: what becomes of the reports of the sensors beside it?"""

from pathlib import Path

import airfair as af

HOME = Path(__file__).with_name("home.toml")
WALKS = 40  # s
SLOW = {"wlan.home.station.camera.data_rate": "1 Mb/s"}
CASES = {
    "it stays": {},
    "it walks away": SLOW,
    "it walks away, with FQ-CoDel from then on": {**SLOW, "wlan.home.ap_discipline.kind": "fq_codel"},
}

for case, changes in CASES.items():
    in_time = []
    for seed in range(1, 11):
        world = af.World(HOME, seed=seed)
        world.run_until(WALKS)
        world.change(changes)
        world.run_until(world.end)
        for start, delivered in world.record().sessions.to_polars().select("start", "delivered").rows():
            if start >= WALKS:
                in_time.append(delivered is not None and delivered < 1)
    print(f"{case}: {sum(in_time) / len(in_time):.0%} of {len(in_time)} reports are delivered within a second")
