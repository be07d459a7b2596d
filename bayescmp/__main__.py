"""`python -m bayescmp` and `bayescmp` are the command line."""

import sys


def main() -> None:
    """Run the command line; Ctrl-C while it is still being imported ends as it does later."""
    try:
        from bayescmp.cli import main as program
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)
    program(prog_name="bayescmp")


if __name__ == "__main__":
    main()
