"""Every example of a finished corpus obeys the rules: checked on the files alone.

Nothing of the miner, the records or the formats is imported here; what the paper says (section 3)
is written down once more, from the output's side.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from corefmill.builders.wikicrem.options import SENTENCES
from tests.commands import command, shared

Json = dict[str, Any]


def build(out: Path, *arguments: str | Path) -> Path:
    options = ("--lang", "en", "--out", out, "--workers", "1", "--quiet")
    done = command("build", "wikicrem", *options, *arguments)
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module", params=["sample", "dump", "novels"])
def clean(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clean")
    return build(folder / "corpus", *source(request.param, folder))


@pytest.fixture(scope="module", params=["sample", "dump"])
def paper(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("paper")
    return build(folder / "corpus", *source(request.param, folder), "--mode", "paper")


def source(name: str, folder: Path) -> tuple[str | Path, ...]:
    if name == "dump":
        return ("--dump", shared("data", "dumps", "enwiki-real-sample.xml.bz2"), "--limit", "100")
    if name == "novels":
        return ("--text", opening("105_persuasion.txt", folder))
    return ("--dump", "sample")


def opening(novel: str, folder: Path) -> Path:
    """A fourth of a novel, in a file of the folder."""
    text = shared("data", "litbank", "original", novel).read_text("utf-8")
    path = folder / novel
    path.write_text(text[: len(text) // 4], encoding="utf-8")
    return path


def examples(corpus: Path, *splits: str) -> Iterator[Json]:
    for split in splits or ("train", "validation"):
        with (corpus / f"{split}.jsonl").open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def inside(span: list[int], outer: list[int]) -> bool:
    return outer[0] <= span[0] and span[1] <= outer[1]


def places(example: Json, candidate: int) -> list[list[int]]:
    """Where a candidate stands, the target left out."""
    return [[start, end] for number, start, end in example["mentions"] if number == candidate]


def check_conditions(example: Json) -> None:
    """Conditions (a) and (b), and what the paper discards."""
    target, label = example["target"], example["label"]
    *before, masked = example["sentences"]
    assert inside(target, masked)
    assert len(before) <= 1
    everyone = range(len(example["candidates"]))
    if not before:
        for candidate in everyone:
            assert any(end <= target[0] for _, end in places(example, candidate))
        return
    for candidate in everyone:
        assert any(inside(place, before[0]) for place in places(example, candidate))
    beside = [any(inside(p, masked) for p in places(example, number)) for number in everyone]
    assert all(there == beside[label] for there in beside)


def check_near(example: Json) -> None:
    """Clean mode's: all stand before the mask, and the answer in its sentence or right before."""
    target, sentences = example["target"], example["sentences"]
    assert inside(target, sentences[-1])
    assert len(sentences) <= SENTENCES
    before = [
        [place for place in places(example, number) if place[1] <= target[0]]
        for number in range(len(example["candidates"]))
    ]
    assert all(before)
    near = sentences[-2:]
    assert any(inside(place, one) for place in before[example["label"]] for one in near)
    assert 0 <= example["meta"].get("confidence", 1) <= 1


def check_strings(example: Json) -> None:
    """The masked name, and every mention, is its candidate to the letter."""
    text, names = example["text"], example["candidates"]
    start, end = example["target"]
    assert text[start:end] == names[example["label"]]
    assert len(names) == len(set(names)) >= 2
    spans = [[start, end]]
    for number, left, right in example["mentions"]:
        assert text[left:right] == names[number]
        spans.append([left, right])
    spans.sort()
    assert all(one[1] <= two[0] for one, two in pairwise(spans))
    # Nothing but blanks lies outside the sentences.
    covered = example["sentences"]
    gaps = [text[: covered[0][0]], text[covered[-1][1] :]]
    gaps += [text[one[1] : two[0]] for one, two in pairwise(covered)]
    assert not "".join(gaps).strip()


def test_clean_examples_obey_the_rules(clean: Path) -> None:
    for example in examples(clean):
        check_strings(example)
        check_near(example)
        if example["meta"]["rule"] != "c":
            check_conditions(example)


def test_paper_examples_obey_the_rules(paper: Path) -> None:
    for example in examples(paper):
        check_strings(example)
        check_conditions(example)
        assert example["label"] == 0
        assert len(example["candidates"]) == 2


TITLES = frozenset(
    """mr mrs miss dr sir lady lord captain colonel major general king queen prince princess count
    countess duke earl president minister senator aunt uncle father mother judge doctor professor
    governor bishop pope sen senator minister rev""".split()  # noqa: SIM905
)


def test_no_candidate_of_clean_mode_shares_a_word_with_another(clean: Path) -> None:
    for example in examples(clean):
        words = [
            set(re.findall(r"\w{2,}", name.lower())) - TITLES for name in example["candidates"]
        ]
        for number, own in enumerate(words):
            assert not any(own & other for other in words[number + 1 :]), example["candidates"]


def test_the_answer_stands_nowhere_but_in_its_mentions(clean: Path) -> None:
    for example in examples(clean):
        answer = example["candidates"][example["label"]]
        known = 1 + len(places(example, example["label"]))
        found = re.findall(rf"(?<!\w){re.escape(answer)}(?!\w)", example["text"])
        assert len(found) == known, example["id"]


def test_masks_of_clean_mode_touch_no_word(clean: Path) -> None:
    for example in examples(clean):
        start, end = example["target"]
        before, after = example["text"][:start][-1:], example["text"][end:][:1]
        assert not re.match(r"[\w&/]", before or " "), example["id"]
        assert not re.match(r"[\w&/(]", after or " "), example["id"]


def test_splits_share_no_article(clean: Path) -> None:
    articles = [
        {example["source"]["page_id"] for example in examples(clean, split)}
        for split in ("train", "validation")
    ]
    assert not articles[0] & articles[1]


def test_ids_and_masked_passages_are_unique(clean: Path) -> None:
    seen: set[str] = set()
    ids: set[str] = set()
    for example in examples(clean):
        start, end = example["target"]
        seen.add(" ".join(f"{example['text'][:start]}[]{example['text'][end:]}".lower().split()))
        ids.add(example["id"])
    count = sum(1 for _ in examples(clean))
    assert len(seen) == len(ids) == count


def test_the_five_line_form_says_the_same(paper: Path) -> None:
    for split in ("train", "validation"):
        lines = (paper / f"{split}.txt").read_text("utf-8").split("\n")
        assert lines.pop() == ""
        assert len(lines) % 5 == 0
        records = list(examples(paper, split))
        assert len(records) == len(lines) // 5
        for number, example in enumerate(records):
            passage, blank, names, answer, empty = lines[number * 5 : number * 5 + 5]
            assert (blank, empty) == ("[MASK]", "")
            assert f" {passage} ".count(" [MASK] ") == 1
            assert passage.isascii()
            assert "  " not in passage
            # The right one stands first, as in the published files.
            assert names.split(",")[0] == answer
            letters = "".join(c for c in example["text"] if c.isascii() and not c.isspace())
            shown = passage.replace("[MASK]", answer)
            assert "".join(shown.split()) == letters


def test_the_conll_form_says_the_same(clean: Path) -> None:
    text = (clean / "validation.conll").read_text("utf-8")
    documents = re.findall(r"#begin document \((.*?)\); part 000\n(.*?)#end document\n", text, re.S)
    records = list(examples(clean, "validation"))
    assert [name for name, _ in documents] == [example["id"] for example in records]
    for (_, body), example in zip(documents, records, strict=True):
        rows = [line.split("\t") for line in body.split("\n") if line and not line.startswith("#")]
        found: list[tuple[int, str]] = []
        opened: dict[str, list[int]] = {}
        for place, row in enumerate(rows):
            for cluster in re.findall(r"\((\d+)", row[-1]):
                opened.setdefault(cluster, []).append(place)
            for cluster in re.findall(r"(\d+)\)", row[-1]):
                first = opened[cluster].pop()
                words = "".join(r[3] for r in rows[first : place + 1])
                found.append((int(cluster), words))
        wanted = [(number, example["text"][s:e]) for number, s, e in example["mentions"]]
        wanted.append((example["label"], example["candidates"][example["label"]]))
        assert sorted(found) == sorted((n, "".join(w.split())) for n, w in wanted)


def test_texts_are_the_sources_own(tmp_path: Path) -> None:
    novel = opening("2775_the_good_soldier.txt", tmp_path)
    whole = " ".join(novel.read_text("utf-8").split())
    corpus = build(tmp_path / "soldier", "--text", novel)
    for example in examples(corpus):
        assert example["text"] in whole
