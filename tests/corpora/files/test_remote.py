"""Files and corpora at URLs are read and written."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import fsspec
import pytest

from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.files.remote import (
    RemoteError,
    RemoteFile,
    RemoteFolder,
    folder_of,
    matching,
    place,
)
from tests.object_server import ObjectServer
from tests.waiting import PATIENCE

pytest.importorskip("obstore", reason="needs the extra cloud")

CONTENT = random.Random(0).randbytes(1_300_000)


@pytest.fixture(params=["s3", "http"])
def url(request: pytest.FixtureRequest, store: ObjectServer) -> str:
    """Of a file that the server has."""
    store.objects["/bucket/a folder/file.bin"] = CONTENT
    s3 = request.param == "s3"
    return "s3://bucket/a folder/file.bin" if s3 else f"{store.url}/bucket/a%20folder/file.bin"


def remote(url: str) -> RemoteFile:
    found = place(url)
    assert isinstance(found, RemoteFile)
    return found


def fault(url: str) -> str:
    """What is said where the first byte is asked for."""
    pool = ThreadPoolExecutor(1)
    error = pool.submit(lambda: remote(url).range(0, 1)).exception(PATIENCE)
    pool.shutdown()
    assert isinstance(error, RemoteError)
    assert "\n" not in str(error)
    return str(error)


def test_it_is_read_as_a_file_is(url: str) -> None:
    file = remote(url)
    assert (file.name, file.stat().st_size, file.is_file()) == ("file.bin", len(CONTENT), True)
    with file.open() as opened:
        assert hashlib.file_digest(opened, "md5").digest() == hashlib.md5(CONTENT).digest()
        for begin, length in ((1_299_990, 100), (5, 3), (600_000, 500_000), (2_000_000, 1)):
            opened.seek(begin)
            assert opened.read(length) == CONTENT[begin : begin + length]
        assert opened.seek(-4, 2) == len(CONTENT) - 4
        assert opened.read() == CONTENT[-4:]


def test_some_failures_are_no_matter_but_always_failing_is_told(
    url: str, store: ObjectServer
) -> None:
    file = remote(url)
    store.failures = 2
    assert file.range(0, 100) == CONTENT[:100]
    assert store.failures == 0
    assert fault(url + "x") == f"{url}x: there is no such file (check the URL)"
    store.failures = 1_000
    assert "cannot be reached" in fault(url) and "500" in fault(url)


def test_a_file_that_is_changed_while_it_is_read(url: str, store: ObjectServer) -> None:
    file = remote(url)
    store.objects["/bucket/a folder/file.bin"] = CONTENT[::-1]
    with pytest.raises(RemoteError, match="was changed while it was read"):
        file.range(0, 5)


def test_a_server_without_ranges(store: ObjectServer) -> None:
    store.objects["/file"] = CONTENT
    store.ranges = False
    assert "sends whole files only" in fault(f"{store.url}/file")


@pytest.mark.parametrize("known", [True, False])
def test_a_wrong_key_or_none(
    store: ObjectServer, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    store.keys = True
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    if known:  # that it has none
        monkeypatch.setenv("AWS_SKIP_SIGNATURE", "true")
    else:
        monkeypatch.setenv("AWS_METADATA_ENDPOINT", f"{store.url}/169.254.169.254")
    assert "set AWS_ACCESS_KEY_ID and" in fault("s3://bucket/file")


@pytest.mark.parametrize("before", ["http", "s3", "ftp", "github"])
def test_a_password_is_not_shown(before: str) -> None:
    with pytest.raises(UsageError, match="password") as raised:
        place(f"{before}://ann:secret@127.0.0.1/file")
    assert "secret" not in str(raised.value)


def test_a_query_is_sent_and_not_shown(store: ObjectServer) -> None:
    store.objects["/file"] = CONTENT
    file = remote(f"{store.url}/file?signature=secret")
    assert (file.range(0, 3), str(file)) == (CONTENT[:3], f"{store.url}/file")


@pytest.mark.parametrize(
    "url",
    ["s3://bucket/a//b", "s3://bucket/../b", "s3:///b", "http://127.0.0.1:99999/b", "http:///b"],
)
def test_what_no_repetition_mends(store: ObjectServer, url: str) -> None:
    assert fault(url).endswith("(check the URL)")
    assert not store.asked


def test_a_pattern_names_objects(store: ObjectServer) -> None:
    for key in ("d/p2.xml", "d/p10.xml", "d/p1.xml", "d/p1.txt", "d/e/p1.xml", "p1.xml"):
        store.objects[f"/bucket/{key}"] = b"content"
    names = ["s3://bucket/d/p1.xml", "s3://bucket/d/p10.xml", "s3://bucket/d/p2.xml"]
    assert [str(file) for file in matching("s3://bucket/d/p*.xml")] == names
    assert matching("s3://bucket/none/*.xml") == []


def test_another_protocol_by_fsspec() -> None:
    system, url = fsspec.filesystem("memory"), "memory://folder/file.bin"
    system.pipe_file("/folder/file.bin", CONTENT)
    assert remote(url).range(7, 12) == CONTENT[7:12]
    assert [str(file) for file in matching("memory://folder/*.bin")] == [url]
    assert "there is no such file" in fault(url + "x")
    system.rm("/folder", recursive=True)


@pytest.fixture
def hub(store: ObjectServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The server is where hf:// leads to."""
    package = pytest.importorskip("huggingface_hub", reason="needs the package of hf://")
    template = f"{store.url}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
    monkeypatch.setattr("huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", store.url)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    package.HfFileSystem.clear_instance_cache()
    yield
    package.HfFileSystem.clear_instance_cache()


@pytest.mark.usefixtures("hub")
def test_what_the_hub_has_is_read_at_its_commit(store: ObjectServer) -> None:
    old, new = "a" * 40, "b" * 40

    def push(commit: str, content: bytes) -> None:
        listed = [{"type": "file", "path": "f.bin", "size": len(content), "oid": commit}]
        for name in ("main", commit):
            about = {"id": "u/r", "sha": commit}
            for at in ("", f"/revision/{name}"):
                store.objects[f"/api/datasets/u/r{at}"] = json.dumps(about).encode()
            store.objects[f"/api/datasets/u/r/tree/{name}"] = json.dumps(listed).encode()
            store.objects[f"/datasets/u/r/resolve/{name}/f.bin"] = content

    push(old, CONTENT)
    file = remote("hf://datasets/u/r/f.bin")
    assert file.url == f"hf://datasets/u/r@{old}/f.bin"
    push(new, CONTENT[::-1])
    assert file.range(5, 9) == CONTENT[5:9]
    assert [one.url for one in matching("hf://datasets/u/r/*.bin")] == [
        f"hf://datasets/u/r@{new}/f.bin"
    ]


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


def folder(fingerprint: str = "f", limit: int | None = None) -> RemoteFolder:
    return RemoteFolder(URL.rstrip("/"), fingerprint, limit)


def upload(made: Path) -> bool:
    return folder().upload(made, FILES, overwrite=False)


BAD = "s3:/x/y s3:///x/y s3://x//y s3://x/../y s3://bucket s3://ann:secret@bucket/y https://host/y"


@pytest.mark.parametrize("name", BAD.split())
def test_names_of_no_folder(name: str) -> None:
    with pytest.raises(UsageError, match="neither a local folder nor one in a bucket") as raised:
        folder_of(name)
    assert "secret" not in str(raised.value)


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
        with pytest.raises(UsageError, match=r"files that this build did not make: a\.jsonl"):
            use(overwrite=False)
    assert store.objects == before


@pytest.mark.parametrize("name", ["notes.txt", "manifest.json"])
def test_files_of_others_are_kept(made: Path, store: ObjectServer, name: str) -> None:
    store.objects[f"/bucket/corpora/one/{name}"] = b"[]"
    with pytest.raises(UsageError, match=f"did not make: {name}"):
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
    with pytest.raises(UsageError, match="this build did not make"):
        upload(made)
    assert "manifest.json" not in names(store)
