"""Speed of the engine: beside other simulators, over sizes, against its own limit, and against the last time."""
