"""`python -m troly` is the same command as `app`."""

from troly.cli.main import console

if __name__ == "__main__":
    console()
