"""What corpora are made of, and their way to the hub."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from corefmill import coref_model
from corefmill.builders.corpus import card
from corefmill.corpora import manifest
from corefmill.corpora.files import jsonl
from tests.builders.corpus.finished import example, mill
from tests.commands import called, command, json_result
from tests.corefmill.dumps import make_manifest
from tests.corpora.test_records import EVENT, EXAMPLE


def shown(*arguments: str | Path) -> str:
    """What the command prints, which must end well."""
    code, out, errors = called("corefmill", *arguments)
    assert (code, errors) == (0, "")
    return out


def test_splits_have_a_column_each(tmp_path: Path) -> None:
    jsonl.write(tmp_path / "train.jsonl", [EXAMPLE] * 2)
    jsonl.write(tmp_path / "test.jsonl", [EXAMPLE])
    head, first, *_ = shown("stats", tmp_path).splitlines()
    assert head.split() == ["masked-example", "train", "test", "all"]
    assert first.split() == ["examples", "2", "1", "3"]
    found = json_result(shown("stats", tmp_path, "--json"))
    assert found["masked-example/1"]["all"]["examples"] == 3


def test_each_kind_of_record_has_a_table(tmp_path: Path) -> None:
    jsonl.write(tmp_path / "a.jsonl", [EXAMPLE])
    jsonl.write(tmp_path / "b.jsonl", [EVENT])
    table = shown("stats", tmp_path, "--markdown")
    assert "| masked-example | all |\n| --- | ---: |\n| examples | 1 |" in table
    assert "| ambiguity (clusters of a head lemma) | - |" in table


def test_the_catalogue_is_listed_and_explained(tmp_path: Path) -> None:
    assert "--data-dir DIR finds those" in shown("corpora")
    (tmp_path / "gap-test.tsv").touch()
    told = shown("corpora", "explain", "gap", "--data-dir", tmp_path)
    assert "Apache-2.0" in told and f"here, test      {tmp_path / 'gap-test.tsv'}" in told
    listed = json_result(shown("corpora", "--data-dir", tmp_path, "--json"))["corpora"]
    found = {one["name"]: one["here"] for one in listed}
    assert found["gap"] == {"test": [str(tmp_path / "gap-test.tsv")]}
    assert found["dpr"] == {}


TOKEN = "hf_planted3141592653"
NAME = "ann/mill-en"


@dataclass
class Hub:
    """The client of a hub: what it sent, and the fault of its next calls."""

    files: set[str] = field(default_factory=set)
    private: bool | None = None
    made: bool = False
    kind: str = ""
    fault: Exception | None = None

    def create_repo(
        self, name: str, *, repo_type: str, private: bool | None, exist_ok: bool
    ) -> str:
        assert (name, exist_ok) == (NAME, True)
        self.made, self.kind, self.private = True, repo_type, private
        return f"https://hub/datasets/{name}"

    def upload_folder(self, *, folder_path: Path, allow_patterns: list[str], **more: str) -> None:
        from huggingface_hub import utils

        assert (more["repo_id"], more["repo_type"]) == (NAME, self.kind)
        if self.fault:
            raise self.fault
        names = [path.relative_to(folder_path).as_posix() for path in folder_path.rglob("*")]
        self.files = set(utils.filter_repo_objects(names, allow_patterns=allow_patterns))


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Hub:
    client = pytest.importorskip("huggingface_hub", reason="needs the extra datasets")
    made = Hub()
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setattr(client, "HfApi", lambda: made)
    return made


def refuse(status: int) -> Exception:
    """What the client raises for an answer of the hub; of status 0 where there was none."""
    fault = OSError(f"refused, Bearer {TOKEN}")
    if status:
        fault.response = SimpleNamespace(status_code=status)  # type: ignore[attr-defined]
    return fault


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A finished corpus, with a file beside it that is nobody's business."""
    folder = tmp_path / "mill-en"
    folder.mkdir()
    jsonl.write(folder / "train.jsonl", [example()])
    card.write_card(mill(folder), [], [], schema="masked-example/1", splits={"train": 1})
    (folder / "secret.txt").write_text("mine")
    files = {name: manifest.sha256(folder / name) for name in (*card.FILES, "train.jsonl")}
    more = {"versions": {"pipeline": "en_mini 0.2.0"}, "licence": "that of the texts"}
    made = make_manifest("mill-en", "masked-example/1", {"train": 1}, files=files, **more)
    manifest.write(folder, made)
    return folder


def test_nothing_is_sent_unasked(hub: Hub, corpus: Path) -> None:
    done = command("corefmill", "push", corpus, "--to", NAME)
    assert done.returncode == 0 and not hub.made
    assert "4 files" in done.stdout and f"/datasets/{NAME}; --yes" in done.stdout
    assert "secret" not in done.stdout
    said = done.stderr.splitlines()
    assert any("may you publish it?" in line for line in said)
    assert "en_mini, which read the text: CC BY-NC-SA 4.0, not for commercial use" in said
    told = json.loads(command("corefmill", "push", corpus, "--to", NAME, "--json", "-q").stdout)
    assert told["warnings"] == said


def test_the_files_of_the_manifest_are_sent(hub: Hub, corpus: Path) -> None:
    (corpus / "README.md").write_text((corpus / "README.md").read_text() + "\nMine.\n")
    done = command("corefmill", "push", corpus, "--to", NAME, "--yes", "--private", "--json")
    assert done.returncode == 0, done.stderr
    said = json_result(done.stdout)
    names = {"README.md", "croissant.json", "manifest.json", "train.jsonl"}
    assert said["sent"] and set(said["files"]) == names
    assert hub.files == names and (hub.kind, hub.private) == ("dataset", True)


def test_a_model_is_sent_without_the_files_beside_it(hub: Hub, tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(Path(coref_model.__file__).parent / "documents/weights/en_coref", model)
    done = command("corefmill", "push", model, "--to", NAME, "--yes")
    assert done.returncode == 0 and hub.kind == "model"
    assert "whose licence is unknown: may you publish it?" in done.stderr
    encoder = {"config.json", "tokenizer.json", "tokenizer_config.json"}
    own = {"README.md", "model.safetensors", "model.toml"}
    assert hub.files == own | {f"encoder/{name}" for name in encoder}
    with (model / "model.safetensors").open("ab") as file:
        file.write(b"x")
    done = command("corefmill", "push", model, "--to", NAME, "--yes")
    assert done.returncode == 2 and "the file was changed or cut off" in done.stderr


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "hf auth login"),
        (403, "may not write there"),
        (429, "try again later"),
        (500, "run the same command again"),
        (0, "run the same command again"),
    ],
)
def test_a_hub_that_refuses_is_told_in_a_line(
    hub: Hub, corpus: Path, status: int, said: str
) -> None:
    hub.fault = refuse(status)
    done = command("corefmill", "push", corpus, "--to", NAME, "--yes", "--quiet")
    assert done.returncode == 2 and not hub.files
    (line,) = done.stderr.splitlines()
    assert f"the upload to {NAME} failed" in line and said in line and TOKEN not in line


@pytest.mark.parametrize("name", ["train.jsonl", "README.md"])
def test_a_changed_file_and_a_link_out_of_the_folder_are_refused(
    hub: Hub, corpus: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / "key").write_text("private")
    if name == "README.md":
        (corpus / name).unlink()
        (corpus / name).symlink_to(tmp_path / "key")
    else:
        (corpus / name).write_bytes((corpus / name).read_bytes() + b"{}\n")
    done = command("corefmill", "push", corpus, "--to", NAME, "--yes")
    assert done.returncode == 2 and not hub.made
    assert f"{name}: the file was changed after the folder was made" in done.stderr


def test_a_name_that_is_none_is_refused(hub: Hub, corpus: Path) -> None:
    done = command("corefmill", "push", corpus, "--to", "../x y")
    assert done.returncode == 2 and "USER/NAME" in done.stderr
    manifest.write(corpus, replace(manifest.read(corpus), files={"gone.txt": "0"}))
    done = command("corefmill", "push", corpus, "--to", NAME)
    assert done.returncode == 2 and "gone.txt" in done.stderr
