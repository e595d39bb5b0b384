"""The store that tests of Slurm share with those of commands."""

from tests.object_server import store  # noqa: F401
