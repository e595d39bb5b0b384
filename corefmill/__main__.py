"""`python -m corefmill` is `corefmill`."""

from corefmill.cli.main import main

if __name__ == "__main__":
    main()
