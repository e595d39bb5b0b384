"""The place of a corpus in an object store: whose it is, and what is put there."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from corefmill.corpora.errors import UsageError
from corefmill.corpora.remote import RemoteError, RemoteFolder, folder_of, url_of
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
    return RemoteFolder(URL.rstrip("/"), fingerprint, limit)


def upload(made: Path) -> bool:
    return folder().upload(made, FILES, overwrite=False)


@pytest.mark.parametrize(
    "name",
    [
        "./s3:/x/y",
        "s3:/x/y",
        "s3:///x/y",
        "s3://x//y",
        "s3://x/./y",
        "s3://../x/y",
        "s3://x/../y",
        "s3://bucket",
        "s3://ann:secret@bucket/y",
        "https://host/y",
    ],
)
def test_names_of_no_folder(name: str) -> None:
    with pytest.raises(UsageError, match="neither a folder here nor one in a bucket") as raised:
        folder_of(name)
    assert "secret" not in str(raised.value)


def test_names_of_folders() -> None:
    assert url_of(folder_of(URL)) == URL.rstrip("/") and folder_of("a//b") == Path("a/b")


def test_nothing_but_its_own_files_is_uploaded(made: Path, store: ObjectServer) -> None:
    assert upload(made)
    assert names(store) == {".corefmill/owner.json", "a.jsonl", "manifest.json"}
    assert store.asked[-1] == ("PUT", "/bucket/corpora/one/manifest.json")


def test_only_a_whole_corpus_is_not_uploaded_again(made: Path, store: ObjectServer) -> None:
    assert upload(made)
    assert not upload(made)
    at = "/bucket/corpora/one"
    content = dict(store.objects)
    longer = b"[" * (made / "manifest.json").stat().st_size
    for name, other in (("a.jsonl", None), ("a.jsonl", b"{"), ("manifest.json", longer)):
        if other is None:
            del store.objects[f"{at}/{name}"]
        else:
            store.objects[f"{at}/{name}"] = other
        assert upload(made)
        assert store.objects == content


@pytest.mark.parametrize("other", [("g", None), ("f", 5)])
def test_another_build_is_kept(
    made: Path, store: ObjectServer, other: tuple[str, int | None]
) -> None:
    upload(made)
    before = dict(store.objects)
    for use in (folder(*other).check, partial(folder(*other).upload, made, FILES)):
        with pytest.raises(UsageError, match=r"the files of another build, or of none: a\.jsonl"):
            use(overwrite=False)
    assert store.objects == before


@pytest.mark.parametrize("name", ["notes.txt", "manifest.json"])
def test_files_of_others_are_kept(made: Path, store: ObjectServer, name: str) -> None:
    store.objects[f"/bucket/corpora/one/{name}"] = b"[]"
    with pytest.raises(UsageError, match=f"or of none: {name}"):
        upload(made)
    assert names(store) == {name}


def test_an_old_corpus_stays_whole_until_a_new_one_is_uploaded(
    made: Path, store: ObjectServer
) -> None:
    (made / "b.jsonl").write_text("{}\n")
    upload(made)
    folder("g").check(overwrite=True)
    assert {"b.jsonl", "manifest.json"} < names(store)
    (made / "b.jsonl").unlink()
    (made / "manifest.json").write_text("{}")
    store.refused = "a.jsonl"
    with pytest.raises(RemoteError):
        folder("g").upload(made, FILES, overwrite=True)
    assert "manifest.json" not in names(store)
    store.refused = "\0"
    assert folder("g").upload(made, FILES, overwrite=False)
    assert names(store) == {".corefmill/owner.json", "a.jsonl", "manifest.json"}


def test_a_manifest_is_not_uploaded_over_the_files_of_another_build(
    made: Path, store: ObjectServer
) -> None:
    other = json.dumps({"fingerprint": "g", "limit": None}).encode()

    class Overtaken(dict[str, bytes]):
        def __setitem__(self, path: str, content: bytes) -> None:
            super().__setitem__(path, content)
            if path.endswith("a.jsonl"):
                super().__setitem__("/bucket/corpora/one/.corefmill/owner.json", other)

    store.objects = Overtaken()
    with pytest.raises(UsageError, match="another build"):
        upload(made)
    assert "manifest.json" not in names(store)


def test_a_store_that_fails(store: ObjectServer) -> None:
    store.failures = 1_000
    with pytest.raises(RemoteError, match="cannot be reached"):
        folder().check(overwrite=False)
