"""Commands that tests call in their own process end as in one of theirs."""

from __future__ import annotations

import resource

from tests.commands import command


def test_a_command_that_cannot_write_is_heard() -> None:
    """It leads its standard output elsewhere, which was then read."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (256, before[1]))
    try:
        done = command("corefmill", "--help")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert done.returncode == 2
    assert done.stderr.startswith("corefmill: standard output: ")
    assert len(done.stdout) <= 256
