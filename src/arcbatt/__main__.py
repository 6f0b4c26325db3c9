"""The command `arcbatt`, or `python -m arcbatt`; answers signals while the command line is being imported."""

import sys

from arcbatt.signals import ended_by_signals, interrupted_code
from arcbatt.telling import tell


def main() -> None:
    """Run the command line; ends with SystemExit."""
    with ended_by_signals():
        try:
            from arcbatt.commands.main import main as command_line

            command_line()
        except KeyboardInterrupt:
            tell("interrupted")
            sys.exit(interrupted_code())


if __name__ == "__main__":
    main()
