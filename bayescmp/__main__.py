"""`python -m bayescmp` is the command line."""

from bayescmp.cli import main

if __name__ == "__main__":
    main(prog_name="bayescmp")
