"""What corpora are made of, and their way to the hub."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.corpus import card
from corefmill.cli.main import COREFMILL
from corefmill.corpora import manifest
from corefmill.corpora.files import jsonl
from corefmill.corpora.manifest import Manifest
from tests.builders.corpus.finished import example, mill
from tests.commands import command, json_result
from tests.corpora.test_records import EVENT, EXAMPLE


def run(*arguments: str | Path) -> None:
    COREFMILL(list(map(str, arguments)), standalone_mode=False)


def test_splits_have_a_column_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jsonl.write(tmp_path / "train.jsonl", [EXAMPLE] * 2)
    jsonl.write(tmp_path / "test.jsonl", [EXAMPLE])
    run("stats", tmp_path)
    head, first, *_ = capsys.readouterr().out.splitlines()
    assert head.split() == ["masked-example", "train", "test", "all"]
    assert first.split() == ["examples", "2", "1", "3"]
    run("stats", tmp_path, "--json")
    found = json_result(capsys.readouterr().out)
    assert found["masked-example/1"]["all"]["examples"] == 3


def test_each_kind_of_record_has_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    jsonl.write(tmp_path / "a.jsonl", [EXAMPLE])
    jsonl.write(tmp_path / "b.jsonl", [EVENT])
    run("stats", tmp_path, "--markdown")
    shown = capsys.readouterr().out
    assert "| masked-example | all |\n| --- | ---: |\n| examples | 1 |" in shown
    assert "| ambiguity (clusters of a head lemma) | - |" in shown


def test_the_catalogue_is_listed_and_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("corpora")
    assert "--data-dir DIR finds those" in capsys.readouterr().out
    (tmp_path / "gap-test.tsv").touch()
    run("corpora", "explain", "gap", "--data-dir", tmp_path)
    shown = capsys.readouterr().out
    assert "Apache-2.0" in shown and f"here, test      {tmp_path / 'gap-test.tsv'}" in shown
    run("corpora", "--data-dir", tmp_path, "--json")
    found = {one["name"]: one["here"] for one in json_result(capsys.readouterr().out)["corpora"]}
    assert found["gap"] == {"test": [str(tmp_path / "gap-test.tsv")]}
    assert found["dpr"] == {}


TOKEN = "hf_planted3141592653"
NAME = "ann/mill-en"


@dataclass
class Hub:
    """What a hub was asked and holds; `faults` are statuses of the next answers to a path, 0 for a
    connection that is cut."""

    url: str = ""
    faults: dict[str, list[int]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    tokens: set[str | None] = field(default_factory=set)
    stored: dict[str, bytes] = field(default_factory=dict)
    """What was uploaded of the large files, by SHA-256."""
    files: dict[str, str] = field(default_factory=dict)
    """The committed files by name, with the SHA-256 of their content."""

    def answer(self, path: str, body: bytes) -> Any:
        """What a hub of the real kind says, as far as an upload needs it."""
        if path.endswith("/preupload/main"):
            asked = json.loads(body)["files"]
            return {"files": [self._mode(file["path"]) for file in asked]}
        if path.endswith("/info/lfs/objects/batch"):
            asked = json.loads(body)["objects"]
            return {"transfer": "basic", "objects": [self._object(one) for one in asked]}
        if path.endswith("/commit/main"):
            for line in map(json.loads, body.splitlines()):
                self._commit(line["key"], line["value"])
            made = f"{self.url}/datasets/{NAME}/commit/{'1' * 40}"
            return {"commitUrl": made, "commitOid": "1" * 40, "success": True}
        return {"url": f"{self.url}/datasets/{NAME}"}

    def _mode(self, path: str) -> dict[str, Any]:
        mode = "lfs" if path.endswith(".jsonl") else "regular"
        return {"path": path, "uploadMode": mode, "shouldIgnore": False}

    def _object(self, asked: dict[str, Any]) -> dict[str, Any]:
        made = {"oid": asked["oid"], "size": asked["size"]}
        if asked["oid"] in self.stored:
            return made
        return {**made, "actions": {"upload": {"href": f"{self.url}/store/{asked['oid']}"}}}

    def _commit(self, key: str, value: dict[str, Any]) -> None:
        if key == "lfsFile":
            self.files[value["path"]] = value["oid"]
        elif key == "file":
            content = base64.b64decode(value["content"])
            self.files[value["path"]] = hashlib.sha256(content).hexdigest()


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    made = Hub()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            kind = self.path.partition("?")[0].rstrip("/").rsplit("/", 2)[-2]
            made.asked[kind] += 1
            made.tokens.add(self.headers.get("Authorization"))
            fault = next(iter(made.faults.get(kind, [])), None)
            if fault is not None:
                del made.faults[kind][0]
                if not fault:
                    self.close_connection = True
                    return
                said = {"error": f"refused, {self.headers.get('Authorization')}"}
                self._say(fault, json.dumps(said).encode())
            elif self.command == "PUT":
                made.stored[self.path.rsplit("/", 1)[-1]] = body
                self._say(200, b"")
            else:
                self._say(200, json.dumps(made.answer(self.path, body)).encode())

        do_PUT = do_POST

        def _say(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    constants = pytest.importorskip("huggingface_hub.constants", reason="needs the extra datasets")
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)  # else another protocol, in Rust
    monkeypatch.setattr("time.sleep", lambda _: None)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        made.url = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setattr(constants, "ENDPOINT", made.url)
        yield made
        server.shutdown()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A finished corpus, with a file beside it that is nobody's business."""
    folder = tmp_path / "mill-en"
    folder.mkdir()
    jsonl.write(folder / "train.jsonl", [example()])
    card.write_card(mill(folder), [], [], schema="masked-example/1", splits={"train": 1})
    (folder / "secret.txt").write_text("mine")
    files = {name: manifest.sha256(folder / name) for name in (*card.FILES, "train.jsonl")}
    made = Manifest(
        *("mill-en", "masked-example/1", "en", "clean", {"train": 1}, {}, 0),
        versions={"pipeline": "en_mini 0.2.0"},
        build={},
        licence="that of the texts",
        attribution="nobody",
        files=files,
    )
    manifest.write(folder, made)
    return folder


def test_nothing_is_sent_unasked(hub: Hub, corpus: Path) -> None:
    done = command("corefmill", "push", corpus, "--to", NAME)
    assert done.returncode == 0 and not hub.asked
    assert "4 files" in done.stdout and f"{hub.url}/datasets/{NAME}; --yes" in done.stdout
    assert "secret" not in done.stdout
    said = done.stderr.splitlines()
    assert any("may you publish it?" in line for line in said)
    assert "en_mini, which read the text: CC BY-NC-SA 4.0, not for commercial use" in said
    told = json.loads(command("corefmill", "push", corpus, "--to", NAME, "--json", "-q").stdout)
    assert told["warnings"] == said


def test_the_files_of_the_manifest_are_sent(hub: Hub, corpus: Path) -> None:
    (corpus / "README.md").write_text((corpus / "README.md").read_text() + "\nMine.\n")
    done = command("corefmill", "push", corpus, "--to", NAME, "--yes", "--json")
    assert done.returncode == 0, done.stderr
    said = json_result(done.stdout)
    names = {"README.md", "croissant.json", "manifest.json", "train.jsonl"}
    assert said["sent"] and set(said["files"]) == names
    assert hub.files == {name: manifest.sha256(corpus / name) for name in names}
    assert hub.tokens >= {f"Bearer {TOKEN}"} and TOKEN not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("kind", "status", "said"),
    [
        ("repos", 401, "hf auth login"),
        ("repos", 403, "may not write there"),
        ("repos", 429, "come back later"),
        ("commit", 500, "run the same command again"),
        ("repos", 0, "run the same command again"),
    ],
)
def test_a_hub_that_refuses_is_told_in_a_line(
    hub: Hub, corpus: Path, kind: str, status: int, said: str
) -> None:
    hub.faults[kind] = [status] * 10
    done = command("corefmill", "push", corpus, "--to", NAME, "--yes", "--quiet")
    assert done.returncode == 2 and not hub.files
    (line,) = done.stderr.splitlines()
    assert f"{NAME} was not sent" in line and said in line and TOKEN not in line


def test_a_corpus_that_was_changed_is_refused(hub: Hub, corpus: Path) -> None:
    with (corpus / "train.jsonl").open("a") as file:
        file.write("{}\n")
    done = command("corefmill", "push", corpus, "--to", NAME, "--yes")
    assert done.returncode == 2 and "train.jsonl: is not as it was built" in done.stderr


def test_a_link_out_of_the_folder_is_refused(hub: Hub, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("private")
    (corpus / "README.md").unlink()
    (corpus / "README.md").symlink_to(tmp_path / "key")
    done = command("corefmill", "push", corpus, "--to", NAME, "--yes")
    assert done.returncode == 2 and "README.md: is not as it was built" in done.stderr
    assert not hub.asked


def test_a_name_that_is_none_is_refused(hub: Hub, corpus: Path) -> None:
    done = command("corefmill", "push", corpus, "--to", "../x y")
    assert done.returncode == 2 and "USER/NAME" in done.stderr
    manifest.write(corpus, replace(manifest.read(corpus), files={"gone.txt": "0"}))
    done = command("corefmill", "push", corpus, "--to", NAME)
    assert done.returncode == 2 and "gone.txt" in done.stderr
