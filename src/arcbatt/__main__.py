"""`python -m arcbatt`: the command line."""

from arcbatt.cli import main

if __name__ == "__main__":
    main()
