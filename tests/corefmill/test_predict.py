"""`corefmill predict`: text and records in, clusters and answers out; and `coref_model.load`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from corefmill.corpora.files import jsonl
from corefmill.corpora.records import Document, EventMention, MaskedExample
from tests.commands import called, command
from tests.corefmill import trained

pytest.importorskip("torch", reason="needs the extra train")

Predict = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus and a model of it."""
    folder = tmp_path_factory.mktemp("made")
    trained.folder(folder / "docs", trained.documents(3), trained.documents(2))
    trained.model(folder / "docs", folder / "model")
    return folder


@pytest.fixture
def ranker(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The model in a copy of the folder, from where the test runs."""
    monkeypatch.chdir(shutil.copytree(made, tmp_path, dirs_exist_ok=True))
    return tmp_path / "model"


@pytest.fixture
def predict(ranker: Path) -> Predict:
    """Runs the command with the model: its exit code, output and errors."""
    return lambda *line: called("corefmill", "predict", "--model", ranker, *line)


def test_text_becomes_a_document(predict: Predict) -> None:
    Path("story.txt").write_text("Ann met Eve. She was late.\n")
    code, said, _ = predict("story.txt")
    assert code == 0
    document = jsonl.loads(said, Document)
    assert document.doc_id == "story"
    assert [len(sentence.tokens) for sentence in document.sentences] == [4, 4]


def test_words_of_another_language_are_told_once(
    predict: Predict, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("a.txt", "b.txt"):
        Path(name).write_text("Der Mann sah die Frau und sie ihn.\n")
    code, said, _ = predict("a.txt", "b.txt")
    assert (code, len(said.splitlines())) == (0, 2)
    assert caplog.text.count("a seems to be in German") == 1
    assert "b seems to be in German" not in caplog.text
    Path("o.jsonl").write_text(said)
    caplog.clear()
    predict("o.jsonl")
    assert "a seems to be in German" in caplog.text


def test_standard_input_is_text_or_records(
    ranker: Path, predict: Predict, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("story").write_text("Ann met Eve. She was late.\n")
    with Path("story").open("rb") as given:
        done = command("corefmill", "predict", "--model", ranker, "-", stdin=given)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 1), done.stderr

    def predicted(name: str) -> tuple[int, str, str]:
        with Path(name).open() as given, monkeypatch.context() as patch:
            patch.setattr("sys.stdin", given)
            return predict("-")

    code, said, _ = predicted("docs/dev.jsonl")
    assert (code, len(said.splitlines())) == (0, 2)
    Path("empty").touch()
    assert predicted("empty")[::2] == (2, "corefmill: standard input: this text has no word\n")
    Path("latin").write_bytes(b"caf\xe9 au lait\n")
    code, _, error = predicted("latin")
    assert code == 2 and error.startswith("corefmill: standard input:1: not UTF-8")


def test_texts_of_files_folders_patterns_and_json_lines_keep_their_order(predict: Predict) -> None:
    Path("in/sub").mkdir(parents=True)
    Path("in/b.txt").write_text("Ann met Eve.\r\n\r\nShe left.\n", newline="")
    Path("in/a.jsonl").write_text('{"id": "x", "text": "Ann left."}\n\n{"text": " "}\n')
    Path("in/sub/b.txt").write_text("Eve left.\n")
    Path("in/README.md").write_text("# No text\n")
    shutil.copy("docs/dev.jsonl", "in/sub/c.jsonl")
    told = {}
    for names in (("in",), ("in/sub/b.txt", "in/*.txt", "in/a.jsonl")):
        code, said, error = predict(*names)
        assert (code, error) == (0, "")
        told[len(names)] = [jsonl.loads(line, Document) for line in said.splitlines()]
    assert [one.doc_id for one in told[1]] == ["x", "a:3", "in/b", "sub/b", "d0", "d1"]
    assert [one.doc_id for one in told[3]] == ["sub/b", "in/b", "x", "a:3"]
    assert told[1][2].text == "Ann met Eve.\r\n\r\nShe left.\n" and len(told[1][2].sentences) == 2
    assert told[1][1].text == " " and not told[1][1].sentences


def test_scores_stand_beside_the_clusters_and_bound_the_links(predict: Predict) -> None:
    Path("story.txt").write_text("Ann met Eve. She left. Ann saw her. Eve saw Ann.\n")
    line = ["story.txt", "--scores", "--singletons", "keep"]
    found = []
    for more in ([], ["--min-confidence", "1"], ["--singletons", "drop", "--min-confidence", "1"]):
        code, said, _ = predict(*line, *more)
        assert code == 0
        found.append(jsonl.loads(said, Document))
    for one in found:
        assert list(map(len, one.meta.get("scores", []))) == list(map(len, one.clusters))
    # A name stays with itself, however little is believed.
    assert not any("link" in one for own in found[1].meta["scores"] for one in own)
    for cluster in found[2].clusters:
        [_, *_] = words = [found[2].text[slice(*found[2].locate(one))] for one in cluster]
        assert len(set(words)) == 1


def test_resolved_text(predict: Predict) -> None:
    text = "Ann met\r\n  nobody."
    Path("story.txt").write_text(text, newline="")
    line = ["--to", "resolved", "story.txt"]
    assert predict(*line)[:2] == (0, text + "\n")
    code, said, _ = predict(*line, "--out", "r.txt")
    assert (code, said) == (0, "r.txt: 1 record\n") and Path("r.txt").read_bytes() == text.encode()
    shutil.copy("story.txt", "other.txt")
    _, said, _ = predict(*line, "other.txt")
    assert said == "".join(
        f'{{"id": "{name}", "text": "Ann met\\r\\n  nobody."}}\n' for name in ("story", "other")
    )


def test_a_pipeline_may_cut_the_text(predict: Predict) -> None:
    Path("story.txt").write_text("Dr. Ann met Eve. She was late.\n")
    code, said, _ = predict("story.txt", "--nlp", "en_mini")
    assert code == 0 and jsonl.loads(said, Document).sentences


def test_persons_are_found_by_rules_without_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("Anna Rossi vede Marco Bruni.  Lei saluta.\n\nAnna  Rossi arriva.\n")
    code, said, _ = called("corefmill", "predict", "--lang", "it", "a.txt", "--singletons", "drop")
    document = jsonl.loads(said, Document)
    (cluster,) = document.clusters
    assert document.text is not None and code == 0
    found = [document.text[slice(*document.locate(one))] for one in cluster]
    assert found == ["Anna Rossi", "Lei", "Anna  Rossi"]
    assert caplog.text.count("no trained model of Italian ships") == 1
    line = ("corefmill", "predict", "--lang", "it", "--singletons", "drop")
    assert called(*line, "a.txt", "--out", "a.conllu")[0] == 0
    _, said, _ = called(*line, "a.conllu")
    assert jsonl.loads(said, Document).clusters == document.clusters
    for option in (["--scores"], ["--convention", "gum"], ["--to", "resolved"], ["--lang", "ja"]):
        code, said, error = called(*line, "a.txt", *option)
        assert (code, said, error.count("corefmill: ")) == (2, "", 1)


def test_what_the_file_says_is_not_looked_at(predict: Predict) -> None:
    bare = [trained.replaced(one) for one in trained.documents(2)]
    jsonl.write(Path("bare.jsonl"), bare)
    told = []
    for name in ("bare.jsonl", "docs/dev.jsonl"):
        _, said, _ = predict(name)
        told.append([jsonl.loads(line, Document).clusters for line in said.splitlines()])
    assert told[0] == told[1]


def test_relations_of_the_key_are_no_part_of_a_prediction(predict: Predict) -> None:
    """They once stayed: a leak of the key, which corefud-scorer could not read."""
    Path("key.conllu").write_text(
        "# newdoc id = d\n# global.Entity = GRP-etype-infstat\n"
        "1\tAnn\t_\t_\t_\t_\t_\t_\t_\tEntity=(4-person-new)\n"
        "2\tslept\t_\t_\t_\t_\t_\t_\t_\tBridge=4<5|Entity=(5-event-new)\n\n"
    )
    code, said, warned = predict("key.conllu", "--out", "r.conllu")
    assert (code, said) == (0, "r.conllu: 1 record\n")
    assert warned.count("1 relation (Bridge, SplitAnte) left out") == 1
    written = Path("r.conllu").read_text()
    assert not any(gold in written for gold in ("Bridge", "GRP", "person", "event"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["missing.txt"], "there is no such file"),
        (["docs/dev.jsonl", "--to", "conll2012"], "name a file by --out"),
        (["docs/dev.jsonl", "--out", "docs/train.jsonl"], "is there already"),
        (["names.jsonl"], "the input holds a MaskedExample, not documents"),
        (
            ["docs/dev.jsonl", "--out", "made.odd"],
            "made.odd: the name of the output does not show which format",
        ),
        (
            ["docs/dev.jsonl", "--out", "a.tsv", "--to", "gap"],
            " a.tsv: native-documents cannot be converted to gap",
        ),
        (["empty.txt"], "empty.txt: this text has no word"),
        (["latin.txt"], "not UTF-8"),
        (["bad.jsonl"], 'bad.jsonl:1: the line is not a JSON object with a string "text"'),
        (["bare"], "bare: the folder holds no text and no file of a known format"),
        (
            ["notes.md"],
            "the format of this file is not known (read it as plain text by --from text",
        ),
        (["*.nothing"], "there is no such file"),
        (
            ["docs/dev.jsonl", "--scores", "--out", "a.conll"],
            "--scores works only with JSON Lines as output",
        ),
    ],
)
def test_refusals(predict: Predict, arguments: list[str], says: str) -> None:
    Path("bad.jsonl").write_text('{"text": 1}\n')
    Path("notes.md").write_text("Ann left.")
    Path("bare").mkdir()
    Path("bare/README.md").touch()
    jsonl.write(Path("names.jsonl"), trained.examples(2))
    Path("empty.txt").write_text("\n")
    Path("latin.txt").write_bytes(b"caf\xe9 au lait\n")
    code, said, error = predict(*arguments)
    assert (code, said) == (2, "") and says in error and error.count("\n") == 1


def test_masked_names_and_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    trained.folder(tmp_path / "names", trained.examples(8), trained.examples(4))
    trained.folder(tmp_path / "events", trained.mentions(16), trained.mentions(8))
    names = trained.model(tmp_path / "names", tmp_path / "m1")
    events = trained.model(tmp_path / "events", tmp_path / "m2")
    _, said, _ = called("corefmill", "predict", "--model", names, "names/dev.jsonl")
    labels = [jsonl.loads(line, MaskedExample).label for line in said.splitlines()]
    assert len(labels) == 4 and set(labels) <= {0, 1, None}
    _, said, _ = called("corefmill", "predict", "--model", events, "events/dev.jsonl")
    found = [jsonl.loads(line, EventMention) for line in said.splitlines()]
    assert len(found) == 8 and all(one.cluster.isdigit() for one in found)
    code, _, error = called("corefmill", "predict", "--model", events, "a.txt")
    assert code == 2 and "no such file" in error
    Path("a.txt").write_text("Ann met Eve.")
    for model, what in ((names, "masked names"), (events, "event mentions")):
        code, _, error = called("corefmill", "predict", "--model", model, "a.txt")
        assert (
            code == 2
            and f"{model.name} labels {what} and cannot read plain text (for clusters" in error
        )
        assert "`corefmill predict story.txt`" in error
    line = ["predict", "--model", names, "names/dev.jsonl", "--scores"]
    assert "finds no clusters in documents" in called("corefmill", *line)[2]


def test_a_model_does_not_say_which_folder_is_written_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from corefmill.coref_model import load

    monkeypatch.setenv("HOME", str(tmp_path))
    corpus = trained.folder(tmp_path / "events", trained.mentions(8), trained.mentions(8))
    table = trained.model(corpus, tmp_path / "m") / "model.toml"
    own = "~/.cache/corefmill/embeddings"
    assert f'"{own}"' in table.read_text()
    table.write_text(table.read_text().replace(own, f"{tmp_path}/theirs"))
    assert load(table.parent).model.settings.cache == own
