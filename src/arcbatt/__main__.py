"""The command `arcbatt`, or `python -m arcbatt`; handles signals even while importing the command line."""

import sys

from arcbatt.notices import tell
from arcbatt.signals import ended_by_signals, interrupted_code


def main() -> None:
    """Run the command line; ends with SystemExit."""
    with ended_by_signals():
        try:
            from arcbatt.commands.main import main as command_line

            command_line()
        except (KeyboardInterrupt, RuntimeError) as error:
            # Before Python 3.12 an interrupted import may raise RuntimeError with KeyboardInterrupt as cause.
            if not any(isinstance(one, KeyboardInterrupt) for one in (error, error.__cause__)):
                raise
            tell("interrupted")
            sys.exit(interrupted_code())
        finally:
            # Once exec(), which makes dataclasses, was interrupted, `python -m` ends by SIGINT whatever the
            # exit code, unless another exec() comes after it.
            exec("")  # noqa: S102


if __name__ == "__main__":
    main()
