"""`annotate export --to` and `import --from`, from a corpus to files and back."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from corefmill.corpora.files import jsonl
from corefmill.corpora.records import Document
from tests.commands import command, json_result
from tests.corefmill.annotate.trials import SMALL, events, problems
from tests.corefmill.dumps import error_line

pytestmark = pytest.mark.usefixtures("without_fsync")

OTHER = replace(SMALL, doc_id="=other", clusters=SMALL.clusters[:1])


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    jsonl.write(tmp_path / "d.jsonl", [SMALL, OTHER])
    return tmp_path


def run(folder: Path, words: str) -> dict[str, object]:
    done = command("corefmill", "annotate", *words.split(), "--json", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    made: dict[str, object] = json_result(done.stdout)
    return made


def test_chains_there_and_back(corpus: Path) -> None:
    told = run(corpus, "export d.jsonl --to inception --out sent")
    assert told == {"out": "sent", "to": "inception", "documents": 2}
    assert sorted(path.stem for path in (corpus / "sent").glob("0*.t*")) == ["0001", "0002"]
    told = run(corpus, "import d.jsonl sent --from inception --out back.jsonl")
    assert told == {"out": "back.jsonl", "from": "inception", "documents": 2, "left_out": {}}
    assert list(jsonl.read(corpus / "back.jsonl", Document)) == [SMALL, OTHER]


def test_one_of_several_raters_and_what_is_not_read(corpus: Path) -> None:
    run(corpus, "export d.jsonl --to inception --limit 1 --seed 3 --out sent")
    (path,) = (corpus / "sent").glob("*.tsv")
    folder = corpus / "annotation" / path.name
    folder.mkdir(parents=True)
    for rater in ("ann", "ben"):
        shutil.copy(path, folder / f"{rater}.tsv")
    text = path.read_text("utf-8")
    (folder / "ben.tsv").write_text(text.replace("\t*[", "\tname["), "utf-8")
    words = "import d.jsonl annotation --from inception --out back.jsonl"
    done = command("corefmill", "annotate", *words.split(), cwd=corpus)
    assert "is annotated twice, by ann and ben (--rater NAME reads" in error_line(done)
    assert not (corpus / "back.jsonl").exists()
    told = run(corpus, f"{words} --rater ben")
    assert told["documents"] == 1
    assert list(told["left_out"]) == ["labels of mentions"]  # type: ignore[call-overload]


def test_answers_of_label_studio_are_imported_twice(tmp_path: Path) -> None:
    problems(tmp_path)
    told = run(tmp_path, "export problems.jsonl --to label-studio --out ls")
    assert told == {"out": "ls", "to": "label-studio", "items": 2}
    (task,) = json.loads((tmp_path / "ls" / "pronoun-problem.json").read_text("utf-8"))
    answer = {"from_name": "answer", "type": "choices", "value": {"choices": ["Anna"]}}
    task["annotations"] = [{"completed_by": 1, "result": [answer]}]
    (tmp_path / "export.json").write_text(json.dumps([task]))
    told = run(tmp_path, "import problems.jsonl export.json --from label-studio --out j.jsonl")
    assert told["judgements"] == 1
    (row,) = (tmp_path / "j.jsonl").read_text().splitlines()
    assert json.loads(row)["answer"] == "Anna"


def test_a_limit_and_what_is_there_already(tmp_path: Path) -> None:
    events(tmp_path)
    words = "export events.jsonl --to label-studio --limit 1 --out out"
    assert run(tmp_path, words)["items"] == 1
    again = command("corefmill", "annotate", *words.split(), cwd=tmp_path)
    assert "is there already" in error_line(again)
    assert run(tmp_path, f"{words} --overwrite")["items"] == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("export d.jsonl --to brate --out o", "'brate' is not one of 'csv', 'label-studio'"),
        ("export d.jsonl --to inception --split dev --out o", "no split 'dev'; there are all"),
        ("export d.jsonl --to inception --raters 2 --out o", "--raters works only with --to csv"),
        (
            "export d.jsonl --out o.xlsx",
            "o.xlsx: the spreadsheet must be a CSV file (name the file .csv)",
        ),
        (
            "export e.jsonl --to inception --out o",
            "clusters can be corrected only in documents; this corpus holds event",
        ),
        (
            "import d.jsonl ann.tsv --from inception --out o",
            "ann.tsv: the file's name has no number of a document",
        ),
        ("import d.jsonl empty --from inception --out o", "empty: the folder has no file *.tsv"),
        (
            "import d.jsonl 0009.tsv --from inception --out o",
            "0009.tsv: the corpus has no document number 9",
        ),
        (
            "import d.jsonl 0009.tsv --from inception --rater z --out o",
            "the files hold no answer of 'z'",
        ),
        (
            "import d.jsonl x --from inception --min-raters 2 --out o",
            "--min-raters and --adjudicator have no effect with --from",
        ),
        ("import d.jsonl x --rater z --out o", "--rater works only with --from"),
    ],
)
def test_one_line_for_what_does_not_fit(words: str, message: str, corpus: Path) -> None:
    events(corpus)
    (corpus / "events.jsonl").rename(corpus / "e.jsonl")
    (corpus / "empty").mkdir()
    for name in ("0009.tsv", "ann.tsv"):
        (corpus / name).write_text("#FORMAT=WebAnno TSV 3.3\n\n")
    assert message in error_line(command("corefmill", "annotate", *words.split(), cwd=corpus))
    assert not (corpus / "o").exists()
