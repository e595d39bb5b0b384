"""The place of a corpus in an object store: whose it is, and what is put there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corefmill.corpora.errors import UsageError
from corefmill.corpora.remote_errors import RemoteError
from corefmill.corpora.remote_folder import RemoteFolder, url_of
from tests.object_server import ObjectServer

pytest.importorskip("obstore", reason="needs the extra cloud")

URL = "s3://bucket/corpora/one/"
FILES = ("a.jsonl", "b.jsonl", "manifest.json")


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A corpus."""
    (tmp_path / "a.jsonl").write_text("{}\n")
    (tmp_path / "other.txt").write_text("not of the corpus")
    record = {"build": {"fingerprint": "f", "limit": None}}
    (tmp_path / "manifest.json").write_text(json.dumps(record))
    return tmp_path


def names(store: ObjectServer) -> set[str]:
    return {key.removeprefix("corpora/one/") for key in store.stored}


def test_the_url_that_a_path_was() -> None:
    assert url_of(Path("s3://bucket/corpora/one")) == "s3://bucket/corpora/one"
    assert url_of(None) is url_of(Path("out/s3")) is url_of(Path("/s3:/x")) is None


def test_it_is_made_below_out() -> None:
    assert RemoteFolder(URL).local == Path("out/s3/bucket/corpora/one")


def test_its_own_files_and_no_others_are_put(made: Path, store: ObjectServer) -> None:
    folder = RemoteFolder(URL)
    assert folder.build_record() is None
    folder.claim("f", overwrite=False)
    folder.put(made, FILES)
    assert names(store) == {".corefmill/owner.json", "a.jsonl", "manifest.json"}
    assert folder.build_record() == {"fingerprint": "f", "limit": None}


def test_a_claim_holds_for_the_same_build_alone(store: ObjectServer) -> None:
    RemoteFolder(URL).claim("f", overwrite=False)
    RemoteFolder(URL).claim("f", overwrite=False)
    with pytest.raises(UsageError, match="the files of another build"):
        RemoteFolder(URL).claim("g", overwrite=False)


def test_files_of_others_are_kept(store: ObjectServer) -> None:
    store.objects["/bucket/corpora/one/notes.txt"] = b"mine"
    with pytest.raises(UsageError, match=r"did not put there: notes\.txt"):
        RemoteFolder(URL).claim("f", overwrite=False)
    assert names(store) == {"notes.txt"}


def test_overwriting_takes_the_old_corpus_back_first(made: Path, store: ObjectServer) -> None:
    folder = RemoteFolder(URL)
    folder.claim("f", overwrite=False)
    (made / "b.jsonl").write_text("{}\n")
    folder.put(made, FILES)
    with pytest.raises(UsageError, match="a finished corpus that was made otherwise"):
        folder.claim("g", overwrite=False)
    folder.claim("g", overwrite=True)
    assert folder.build_record() is None and "b.jsonl" in names(store)
    (made / "b.jsonl").unlink()
    folder.put(made, FILES)
    assert names(store) == {".corefmill/owner.json", "a.jsonl", "manifest.json"}


def test_what_is_no_manifest(store: ObjectServer) -> None:
    store.objects["/bucket/corpora/one/manifest.json"] = b"[]"
    with pytest.raises(UsageError, match=r"a manifest\.json that no command made"):
        RemoteFolder(URL).build_record()


def test_a_store_that_fails(made: Path, store: ObjectServer) -> None:
    folder = RemoteFolder(URL)
    store.failures = 1_000
    for act in (folder.build_record, lambda: folder.claim("f", overwrite=False)):
        with pytest.raises(RemoteError, match="cannot be reached"):
            act()
