"""A dump in an object store gives the corpus that the same file gives here; a corpus is put to one,
and is none there before its manifest is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from corefmill import api
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.files.ownership import PRIVATE
from tests.builders.wiki.dump.dump_writer import write_multistream
from tests.corefmill.dumps import CORPUS, contents, error_line, sample_pages, small, wikicrem
from tests.object_server import ObjectServer

pytest.importorskip("obstore", reason="needs the extra cloud")

DUMP = ("--dump", "part*.xml*", "--quiet")
OUT = (*DUMP, "--out", "s3://bucket/corpora/one")
LOCAL = Path("out/s3/bucket/corpora/one")
AT = "corpora/one/"
MANIFEST = ("PUT", f"/bucket/{AT}manifest.json")


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dump in two parts, one of several streams and one that is not packed, and the
    corpus that is made of them."""
    folder = tmp_path_factory.mktemp("parts")
    pages = sample_pages()
    write_multistream(folder / "part1.xml.bz2", pages[:4], per_stream=2)
    small(folder, pages[4:8]).rename(folder / "part2.xml")
    done = wikicrem(*DUMP, "--out", "local", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


@pytest.fixture
def built(parts: Path, tmp_path: Path) -> Path:
    """A folder with the dump and the corpus, made as by OUT, but not put yet."""
    for path in parts.glob("part*"):
        shutil.copy2(path, tmp_path)
    shutil.copytree(parts / "local", tmp_path / LOCAL)
    return tmp_path


def corpus_of(store: ObjectServer) -> dict[str, bytes]:
    """What the store has of the corpus, but for the mark whose it is."""
    return {
        key.removeprefix(AT): content
        for key, content in store.stored.items()
        if key.startswith(AT) and PRIVATE not in key
    }


def here(folder: Path) -> dict[str, bytes]:
    """The files of the corpus on this machine."""
    return {path.name: path.read_bytes() for path in (folder / LOCAL).iterdir() if path.is_file()}


def test_a_store_that_fails_in_between_gives_the_same_bytes(
    parts: Path, store: ObjectServer
) -> None:
    for path in parts.glob("part*"):
        store.objects[f"/bucket/dumps/{path.name}"] = path.read_bytes()
    line = ("--dump", "s3://bucket/dumps/part*", "--out", "remote", "--quiet")
    store.failures, store.limit = 1, 28  # what is asked before the second unit is read
    said = error_line(wikicrem(*line, cwd=parts))
    assert said.startswith("s3://bucket/dumps/part") and "cannot be reached" in said
    assert not (parts / "remote" / "manifest.json").exists()
    receipts = (parts / "remote").glob(".corefmill/work/*/0*.json")
    assert [path.name for path in receipts] == ["00000.json"]
    store.limit = None
    done = wikicrem(*line, cwd=parts)
    assert (done.returncode, done.stderr) == (0, "")
    ours, theirs = contents(parts / "remote"), contents(parts / "local")
    assert set(ours) == set(theirs) == CORPUS
    # These say by which command it was made, and of which files.
    differing = {name for name in CORPUS if ours[name] != theirs[name]}
    assert differing == {"README.md", "manifest.json"}


@pytest.mark.parametrize("url", ["s3://bucket/none.xml", "s3://bucket/none*"])
def test_a_dump_that_is_not_there(tmp_path: Path, store: ObjectServer, url: str) -> None:
    said = error_line(wikicrem("--dump", url, cwd=tmp_path))
    assert said.startswith(
        (f"{url}: there is no such file", f"{url}: no dump found under this path")
    )
    assert not list(tmp_path.iterdir())


def test_a_corpus_is_put_with_its_manifest_last(built: Path, store: ObjectServer) -> None:
    store.failures = 1
    done = wikicrem(*OUT, cwd=built)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert corpus_of(store) == here(built)
    assert [one for one in store.asked if one[0] == "PUT"][-1] == MANIFEST
    loud = wikicrem(*(word for word in OUT if word != "--quiet"), cwd=built)
    assert loud.stdout.endswith("It is in s3://bucket/corpora/one already.\n")
    store.objects.pop(f"/bucket/{AT}train.jsonl")
    again, twice = (
        json.loads(wikicrem(*OUT, "--json", cwd=built).stdout)["result"] for _ in range(2)
    )
    assert again == twice and again["out"] == "s3://bucket/corpora/one"
    assert corpus_of(store) == here(built)


def test_without_its_manifest_it_is_put_again(built: Path, store: ObjectServer) -> None:
    store.refused = "manifest.json"
    assert "access is refused" in error_line(wikicrem(*OUT, cwd=built))
    assert set(corpus_of(store)) == set(here(built)) - {"manifest.json"}
    store.refused = "\0"
    assert wikicrem(*OUT, cwd=built).returncode == 0
    assert corpus_of(store) == here(built)


def test_another_build_is_not_written_over(built: Path, store: ObjectServer) -> None:
    assert wikicrem(*OUT, cwd=built).returncode == 0
    before = corpus_of(store)
    shutil.rmtree(built / "out")
    said = error_line(wikicrem(*OUT, "--limit", "5", cwd=built))
    assert "holds files that this build did not make" in said
    assert corpus_of(store) == before and not (built / "out").exists()


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("s3://bucket", "neither a local folder nor one in a bucket"),
        ("https://host/corpus", "neither a local folder nor one in a bucket"),
    ],
)
def test_where_no_corpus_can_be_put(parts: Path, store: ObjectServer, out: str, said: str) -> None:
    assert said in error_line(wikicrem("--dump", "part2.xml", "--out", out, cwd=parts))
    assert not store.asked


def test_what_is_refused_here_changes_nothing_there(built: Path, store: ObjectServer) -> None:
    assert wikicrem(*OUT, cwd=built).returncode == 0
    before = dict(store.objects)
    shutil.rmtree(built / LOCAL)
    (built / LOCAL).mkdir()
    (built / LOCAL / "notes.txt").write_text("mine")
    assert "files that this command did not make" in error_line(wikicrem(*OUT, cwd=built))
    assert store.objects == before


def test_a_call_from_python_needs_a_folder(tmp_path: Path, store: ObjectServer) -> None:
    for out in ("s3://bucket/one", Path("s3://bucket/one")):
        with pytest.raises(UsageError, match="`build wikicrem --out s3://bucket/one` uploads"):
            api.build("wikicrem", out=out)
    assert not store.asked
