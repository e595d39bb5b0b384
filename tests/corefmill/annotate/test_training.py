"""A corpus that raters validated is trained on without the articles of its dev and test."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra train")

from corefmill.annotate import judgements
from corefmill.annotate.judgements import Judgement
from corefmill.coref_model.pairs.task import EventTask
from corefmill.corpora.records import EventMention, Source
from tests.commands import command
from tests.corefmill.annotate import event_corpus
from tests.corefmill.annotate.event_corpus import event

STEPS = ("--encoder", "tiny", "--set", "epochs=1", "--set", "batch_pairs=4", "-q")


def mention(name: str, number: int, page: int) -> EventMention:
    own = event(name, f"c{number % 2}", f"In {1900 + number} the quake came.", "quake")
    return replace(own, source=Source(f"Page {page}", page))


def learned_from(monkeypatch: pytest.MonkeyPatch, corpus: Path, out: Path) -> set[str]:
    """Trains; the articles of the mentions of which a loss was computed."""
    seen: set[str] = set()
    loss = EventTask.loss

    def watched(task: EventTask, batch: object) -> object:
        own = task._train.mentions
        seen.update(own[index].source.title for index in batch.mentions)  # type: ignore[attr-defined]
        return loss(task, batch)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(EventTask, "loss", watched)
        done = command("train", "coref", "--corpus", corpus, *STEPS, "--out", out)
    assert (done.returncode, done.stderr) == (0, "")
    assert (out / "model.safetensors").is_file()
    return seen


def test_no_article_of_dev_or_test_is_learned_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = {
        "validation": [mention(f"v{number}", number, 20 + number) for number in range(5)],
        "test": [mention(f"t{number}", number, 30 + number) for number in range(5)],
    }
    # Training mentions of pages 20 and 31 stand beside held-out ones, of page 34 beside one that
    # raters reject.
    train = [
        mention(f"m{number}", number, page)
        for number, page in enumerate((1, 2, 3, 4, 5, 6, 20, 31, 34))
    ]
    corpus = event_corpus.write(tmp_path / "own", {"train": train, **held})
    said = [
        Judgement(
            item=one.id,
            rater="ann",
            person=True,
            question="valid",
            answer="no" if one.id in ("t4", "v4") else "yes",
        )
        for own in held.values()
        for one in own
    ]
    judgements.write(tmp_path / "ann.jsonl", said)
    valid = tmp_path / "valid"
    words = ("annotate", "import", corpus, tmp_path / "ann.jsonl", "--out", valid)
    done = command("corefmill", *words)
    assert (done.returncode, done.stderr) == (0, "")
    own = {f"Page {number}" for number in (1, 2, 3, 4, 5, 6)}
    assert learned_from(monkeypatch, valid, tmp_path / "model") == own
    before = learned_from(monkeypatch, corpus, tmp_path / "other")
    assert before == own | {"Page 20", "Page 31", "Page 34"}
