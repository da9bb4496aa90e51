"""The command `airfair`. Help and shell completion import nothing but typer, a command only what it uses."""


def main() -> None:
    """Run the command `airfair` with the arguments of this process."""
    import atexit
    import gc
    import os
    import sys

    # At Python's own threshold of 700 new objects, looking for cycles, of which there are few, takes 4 % of a sweep of
    # short runs, and 5 % of the start of a command, whose imports make many objects.
    gc.set_threshold(100_000)
    # Python need not look for cycles among all objects when it ends, which takes 30 ms: the process frees the memory.
    # DuckDB, however, reports objects that were not collected on stderr.
    atexit.register(lambda: None if "_duckdb" in sys.modules else gc.freeze())
    # A thread that returns from the engine waits at most 0.5 ms for Python's lock, instead of the usual 5 ms.
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
        # The reader of stdout has closed it, as `| head` does. Typer ends with 1 then; tools that SIGPIPE ends, such as
        # `cat` and `git`, have the status 141: 128 and the signal's number. The signal's own action stays off: it would
        # end a sweep whose messages nobody reads before its tables are written.
        if isinstance(end.__context__, BrokenPipeError):
            sys.exit(141)
        raise
    except OSError as error:
        refused(error)
        sys.exit(1)
    finally:
        end_output()
