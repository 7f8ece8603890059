"""`python -m troly` is the same command as `app`."""

import sys

from troly.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
