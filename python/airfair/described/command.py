"""The body of `airfair describe`."""

from __future__ import annotations

from airfair import console
from airfair.catalogue import graded
from airfair.command import Common, answer
from airfair.described.names import describe

#: For each list in a description, the fields of its entries with their column heads.
_DESCRIBED = {
    "value_of": {"path": "A value of", "meaning": "Meaning"},
    "counters": {"table": "Table", "name": "Counter", "unit": "Unit", "description": "Meaning"},
    "studies": {"name": "Study", "title": "Title"},
    "claims": {"id": "Claim", "source": "Source", "sentence": "In our words"},
    "figures": {"name": "Figure", "title": "Title"},
    "environments": {"name": "Environment", "title": "Title"},
    "actions": {"name": "Action", "setting": "Setting", "low": "At -1", "high": "At 1", "unit": "Unit"},
    "rewards": {"metric": "Rewarded metric", "weight": "Weight"},
}


def _key(setting: dict[str, str]) -> str:
    return setting["path"].rpartition(".")[2]


def command(name: str, common: Common) -> int:
    """Describe whatever has a name."""
    description = describe(name)

    def show() -> None:
        console.out.print(description["name"], style="bold")
        for field in ("title", "description", "definition"):
            if description.get(field):
                console.out.line(console.running(description[field]))
        if "definition" in description:
            console.out.print(console.metric_facts(description))
        if "parameters" in description:
            console.out.print(console.parameters_table(description["parameters"]))
        if "metrics" in description:
            console.out.print(console.list_of_metrics(description["metrics"]))
        if "families" in description:
            rows = ((name, ", ".join(members)) for name, members in description["families"].items())
            console.out.print(console.table(None, "Family", "Metrics", rows=rows))
        if "grades" in description:
            rules = description["grades"]
            console.out.print(console.table(None, *graded.RULE_HEADS, rows=graded.rule_rows(rules)))
            console.out.print(console.rows_table(rules, {"application": "Application", "source": "Source"}))
        if "words" in description:
            columns = ("Name", "What it is", "Settings of its own")
            words = [
                (word["name"], word["description"], ", ".join(_key(one) for one in word["settings"]))
                for word in description["words"]
            ]
            told = [place for place, column in enumerate(zip(*words, strict=True)) if any(column)]
            shown = ([word[place] for place in told] for word in words)
            console.out.print(console.table(None, *(columns[place] for place in told), rows=shown))
        for kind in description.get("kinds", ()):
            console.out.print(f"one of the {kind}: airfair describe {kind}", style="dim")
        for field, heads in _DESCRIBED.items():
            if field in description:
                console.out.print(console.rows_table(description[field], heads))
        if description.get("settings"):
            console.out.print(console.settings_table(description["settings"]))
        if "kinds" not in description:
            for setting in description.get("settings", ()):
                if setting.get("words"):
                    console.out.print(console.table(None, setting["path"], "Meaning", rows=setting["words"].items()))
        if "used_by" in description:
            console.out.print(console.uses_table(description["used_by"]))

    answer(common, "describe.json", description, show)
    return 0
