"""`python -m mutants [PART ...]`: try the sample of mutants, or the rest of it.

Exit status 1: tests killed too few mutants, survivors.toml does not explain a survivor or explains a killed mutant, or
some mutants were not tried.
"""

from __future__ import annotations

import argparse

from mutants import python, rust, tools
from mutants.sample import PYTHON, RUST
from mutants.verdict import EXPLAINED, complaints, counts, explanations


def main() -> int:
    """Try the parts named on the command line, or all."""
    parser = argparse.ArgumentParser(prog="python -m mutants", description="Try a sample of mutants.")
    names = [part.name for part in (*PYTHON, *RUST)]
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(names)}; otherwise all")
    wanted: list[str] = parser.parse_args().parts or names
    unknown = sorted(set(wanted) - set(names))
    if unknown:
        parser.error(f"there is no part {', '.join(unknown)}")
    tried = {part.name: python.run(tools.cosmic_ray(), part) for part in PYTHON if part.name in wanted}
    tried |= {part.name: rust.run(tools.cargo_mutants(), part) for part in RUST if part.name in wanted}
    for name, outcomes in tried.items():
        print(f"{name}: {counts(outcomes)}")
    everything = [item for outcomes in tried.values() for item in outcomes]
    print(f"all: {counts(everything)}")
    wrong = complaints(everything, explanations())
    for line in wrong:
        print(line)
    if wrong:
        print(f"Explanations are in {EXPLAINED.name}, beside the program.")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
