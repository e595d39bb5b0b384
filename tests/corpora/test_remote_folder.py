"""The place of a corpus in an object store: whose it is, and what is put there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corefmill.corpora.errors import UsageError
from corefmill.corpora.remote_errors import RemoteError
from corefmill.corpora.remote_folder import RemoteFolder, folder_of, local_of, url_of
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


def folder(fingerprint: str = "f", limit: int | None = None) -> RemoteFolder:
    return RemoteFolder(URL, fingerprint, limit)


@pytest.mark.parametrize("name", ["./s3:/x/y", "s3:/x/y", "s3:///x/y", "s3://x//y", "s3://x/./y"])
def test_what_a_path_alone_makes_a_url(name: str) -> None:
    with pytest.raises(UsageError, match="neither a URL nor a name"):
        folder_of(name)
    assert url_of(folder_of(URL)) == URL.rstrip("/") and folder_of("a//b") == Path("a/b")


def test_it_is_made_below_out() -> None:
    assert local_of(URL) == Path("out/s3/bucket/corpora/one")


@pytest.mark.parametrize("url", ["s3://../x/y", "s3://bucket", "s3://x/../y", "gs://./y"])
def test_what_is_no_folder_of_a_bucket(url: str) -> None:
    with pytest.raises(UsageError, match="no folder of a bucket"):
        local_of(url)


def test_its_own_files_and_no_others_are_put(made: Path, store: ObjectServer) -> None:
    folder().claim(overwrite=False)
    assert names(store) == {".corefmill/owner.json"}
    assert folder().put(made, FILES)
    assert names(store) == {".corefmill/owner.json", "a.jsonl", "manifest.json"}


def test_only_what_is_there_whole_is_not_put_again(made: Path, store: ObjectServer) -> None:
    assert folder().put(made, FILES)
    assert not folder().put(made, FILES)
    at = "/bucket/corpora/one"
    content = dict(store.objects)
    for name, other in (("a.jsonl", None), ("a.jsonl", b"{"), ("manifest.json", b"[" * 200_000)):
        if other is None:
            del store.objects[f"{at}/{name}"]
        else:
            store.objects[f"{at}/{name}"] = other
        assert folder().put(made, FILES)
        assert store.objects == content


@pytest.mark.parametrize("other", [("g", None), ("f", 5)])
def test_a_claim_holds_for_the_same_build_alone(
    made: Path, store: ObjectServer, other: tuple[str, int | None]
) -> None:
    folder().claim(overwrite=False)
    folder().claim(overwrite=False)
    with pytest.raises(UsageError, match="the files of another build"):
        folder(*other).claim(overwrite=False)
    folder().put(made, FILES)
    with pytest.raises(UsageError, match="a finished corpus that was made otherwise"):
        folder(*other).look(overwrite=False)


@pytest.mark.parametrize("name", ["notes.txt", "manifest.json"])
def test_files_of_others_are_kept(store: ObjectServer, name: str) -> None:
    store.objects[f"/bucket/corpora/one/{name}"] = b"[]"
    with pytest.raises(UsageError, match=f"did not put there: {name}"):
        folder().claim(overwrite=False)
    assert names(store) == {name}


def test_who_was_overwritten_meanwhile_puts_nothing(made: Path, store: ObjectServer) -> None:
    folder().claim(overwrite=False)
    folder("g").claim(overwrite=True)
    before = dict(store.objects)
    with pytest.raises(UsageError, match="the files of another build"):
        folder().put(made, FILES)
    assert store.objects == before


def test_an_old_corpus_stays_whole_until_a_new_one_is_put(made: Path, store: ObjectServer) -> None:
    (made / "b.jsonl").write_text("{}\n")
    folder().put(made, FILES)
    folder("g").claim(overwrite=True)
    assert {"b.jsonl", "manifest.json"} < names(store)
    (made / "b.jsonl").unlink()
    (made / "manifest.json").write_text("{}")
    store.refused = "a.jsonl"
    with pytest.raises(RemoteError):
        folder("g").put(made, FILES)
    assert "manifest.json" not in names(store)
    store.refused = "\0"
    folder("g").put(made, FILES)
    assert names(store) == {".corefmill/owner.json", "a.jsonl", "manifest.json"}


def test_a_store_that_fails(made: Path, store: ObjectServer) -> None:
    store.failures = 1_000
    with pytest.raises(RemoteError, match="cannot be reached"):
        folder().claim(overwrite=False)
