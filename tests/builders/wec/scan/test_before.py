"""What the earlier passes found, through a file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from corefmill.builders.wec.scan.before import Before
from corefmill.corpora.errors import DataError


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    error = DataError("cut off", path="a.xml", line=3, remedy="copy it again")
    before = Before(Counter(pages=3), Counter(no_text=1), Counter(Flood=2), error)
    before.write(tmp_path / "before.json")
    again = Before.read(tmp_path / "before.json")
    assert (again.counts, again.rejects, again.types) == (
        before.counts, before.rejects, before.types,
    )  # fmt: skip
    assert str(again.error) == str(error)


def test_a_whole_dump_has_no_error(tmp_path: Path) -> None:
    Before(Counter(), Counter(), Counter(), None).write(tmp_path / "before.json")
    assert Before.read(tmp_path / "before.json").error is None
