"""When Python seeks no cycles, and what it leaves out for good."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from corefmill.corpora.cycles import no_search_for_cycles

ASKED = """
import gc
import duckdb
from corefmill.corpora.cycles import leave_out_what_is_loaded
leave_out_what_is_loaded()
first, more = gc.get_freeze_count(), [[] for _ in range(1000)]
leave_out_what_is_loaded()
print(first > 1000, gc.get_freeze_count() < first + 1000, gc.isenabled())
"""


@pytest.mark.parametrize("before", [True, False])
def test_the_search_is_on_again_only_where_it_was(before: bool) -> None:
    (gc.enable if before else gc.disable)()
    try:
        with pytest.raises(KeyError), no_search_for_cycles():
            assert not gc.isenabled()
            raise KeyError
        assert gc.isenabled() == before
    finally:
        gc.enable()


def test_what_is_loaded_is_left_out_once() -> None:
    done = subprocess.run([sys.executable, "-c", ASKED], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "True"]
    assert not done.stderr  # of what duckdb would miss
