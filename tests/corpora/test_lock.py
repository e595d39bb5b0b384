"""The lock of an output folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from corefmill.corpora.errors import UsageError
from corefmill.corpora.lock import locked


@pytest.mark.parametrize("url", ["s3://bucket/model", "s3://", "gs://bucket"])
def test_a_url_becomes_no_folder_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="is a URL"), locked(Path(url)):
        pass
    assert not list(tmp_path.iterdir())


def test_a_file_is_no_folder_of_results(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.touch()
    said = r"sheet\.csv: this is a file \(--out names a folder\)"
    with pytest.raises(UsageError, match=said), locked(path):
        pass
