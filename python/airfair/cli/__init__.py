"""The command `airfair`. Help and shell completion import nothing but typer, a command only what it uses."""


def main() -> None:
    """Entry point."""
    import atexit
    import gc
    import os
    import sys

    # At Python's own threshold of 700 new objects, looking for cycles, of which there are few, takes 4 % of a sweep of
    # short runs, and 5 % of the start of a command, whose imports make many objects.
    gc.set_threshold(100_000)
    # Nor does it look for them among all objects when it ends, which takes 30 ms: their memory goes with the process.
    # DuckDB, however, reports on stderr what nobody has found.
    atexit.register(lambda: None if "_duckdb" in sys.modules else gc.freeze())
    # Threads that come back from the engine wait this long for Python's lock at most, not 5 ms.
    sys.setswitchinterval(0.0005)
    # Started with a stream closed (`>&-`, some daemons), a command works as if it went to the null device. Streams are
    # opened in their order, so that each gets its own number.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115, PTH123

    from airfair.cli.app import refused
    from airfair.cli.commands import app
    from airfair.cli.output import end_output, guard_output

    guard_output()
    try:
        app()
    except SystemExit as end:
        # Nobody reads on, as before `| head`: Typer ends with 1 then. 141 is the status of tools that SIGPIPE ends, as
        # `cat` and `git`: 128 and its number. The signal's own action stays off: it would end a sweep whose messages
        # nobody reads before its tables are written.
        if isinstance(end.__context__, BrokenPipeError):
            sys.exit(141)
        raise
    except OSError as error:
        refused(error)
        sys.exit(1)
    finally:
        end_output()
