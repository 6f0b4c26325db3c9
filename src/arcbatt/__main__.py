"""The command `arcbatt`, or `python -m arcbatt`; answers Ctrl-C while the command line is being imported."""

import sys

from arcbatt.telling import tell


def main() -> None:
    """Run the command line; ends with SystemExit."""
    try:
        from arcbatt.commands.main import main as command_line

        command_line()
    except KeyboardInterrupt:
        tell("interrupted")
        sys.exit(130)


if __name__ == "__main__":
    main()
