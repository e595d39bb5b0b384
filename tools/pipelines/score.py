"""Scores on text that was not trained on: names by exact span, trees by CoNLL-18, speed.

Trees are scored by the program of the CoNLL 2018 shared task, which Stanza brings along.
"""

import io
import time
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

import conllu
import numpy as np
from numpy.typing import ArrayLike, NDArray
from spacy.language import Language

from corefmill.builders.nlp import Analysis, SentenceWords
from corefmill.builders.nlp.spacy_backend import SpacyPipeline
from corefmill.corpora.scoring.agreement import bootstrap_interval
from tools.pipelines.sources import Sample, join

Given = Literal["text", "sentences", "words"]
"""What a pipeline gets of a treebank: its raw text, that cut into sentences, or its words."""
Counts = NDArray[np.int64]
"""Right, predicted and gold of each sentence, a row each; of raw text one row for all."""

METRICS = ("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS")
# What the rules of rules/ stand on: relations (with their subtypes) and features.
RELATIONS = ("nsubj PRON", "nsubj", "det:poss", "nmod:poss", "det", "aux")
FEATURES = ("Gender", "Number", "Person")
_MOST = 50_000
"""Characters of a text, where a treebank marks no paragraphs."""


def span_counts(
    nlp: Language, samples: Sequence[Sample], labels: Iterable[str]
) -> dict[str, Counts]:
    """Count the exact spans of each label; spans that touch an unknown passage are left out."""
    rows: defaultdict[str, Counts] = defaultdict(lambda: np.zeros((len(samples), 3), np.int64))
    with nlp.select_pipes(enable=["tok2vec", "senter", "ner"]):
        docs = nlp.pipe((s.text for s in samples), batch_size=256)
        for i, (doc, sample) in enumerate(zip(docs, samples, strict=True)):
            wanted = set(sample.spans)
            for _, _, label in wanted:
                rows[label][i, 2] += 1
            for ent in doc.ents:
                if any(a < ent.end_char and ent.start_char < b for a, b in sample.unknown):
                    continue
                right = (ent.start_char, ent.end_char, ent.label_) in wanted
                rows[ent.label_][i, :2] += (right, 1)
    return {label: rows[label] for label in labels}


def single_names(nlp: Language, samples: Sequence[Sample]) -> tuple[int, int]:
    """Persons named by one word alone: how many are found, and how many there are."""
    found = total = 0
    with nlp.select_pipes(enable=["tok2vec", "senter", "ner"]):
        for sample in samples:
            wanted = {
                s for s in sample.spans if s[2] == "PER" and " " not in sample.text[s[0] : s[1]]
            }
            names = {(e.start_char, e.end_char, e.label_) for e in nlp(sample.text).ents}
            found += len(wanted & names)
            total += len(wanted)
    return found, total


def f1(rows: ArrayLike) -> float:
    """Compute F1 of rows of right, predicted and gold, summed; 0 where nothing is right."""
    right, found, gold = np.reshape(rows, (-1, 3)).sum(axis=0)
    return float(2 * right / (found + gold)) if right else 0.0


def format_f1(rows: Counts) -> str:
    """Format F1 in percent, with its 95 % interval by bootstrap unless there is a single row."""
    found = bootstrap_interval(f1, rows, 1000, seed=0)
    value, *ends = (
        f"{100 * end:.1f}" for end in (found.value, found.low, found.high) if end is not None
    )
    return f"{value} [{', '.join(ends)}]" if ends else value


def trees(
    pipeline: Path, treebank: Path, inputs: Sequence[Given]
) -> dict[Given, dict[str, Counts]]:
    """Score a pipeline's trees by what it is given of a treebank."""
    backend = SpacyPipeline(str(pipeline), None, names=False)
    gold = treebank.read_text(encoding="utf-8")
    sentences = [sentence.serialize() for sentence in conllu.parse(gold)]
    found = {}
    for given in inputs:
        # The sentences of raw text are the pipeline's own, so that all of it is one row.
        wanted = [gold] if given == "text" else sentences
        made = _parse(backend, gold, given)
        counts = [tree_counts(*pair) for pair in zip(wanted, made, strict=True)]
        found[given] = {name: np.array([one[name] for one in counts]) for name in counts[0]}
    return found


def tree_counts(gold: str, system: str) -> dict[str, tuple[int, int, int]]:
    """Count by metric, by relation and by feature what of two CoNLL-U texts is the same.

    A relation is right with the same head and the same subtype; "nsubj PRON" is that of pronouns.
    """
    conll18: Any = import_module("stanza.utils.conll18_ud_eval")
    sides = [conll18.load_conllu(io.StringIO(text), "", {}) for text in (gold, system)]
    scores = conll18.evaluate(*sides)
    found: dict[str, tuple[int, int, int]] = {
        metric: (scores[metric].correct, scores[metric].system_total, scores[metric].gold_total)
        for metric in METRICS
    }
    if all(word.columns[4] == "_" for word in sides[1].words):
        del found["XPOS"]  # the pipeline has no tagger
    # The program drops subtypes and counts no relation alone: by the characters of each word and
    # its form it is found on the other side.
    ours, theirs = (_cells(side, text) for side, text in zip(sides, (gold, system), strict=True))
    for key in (*RELATIONS, *FEATURES):
        wanted = {word: cells[key] for word, cells in ours.items() if key in cells}
        made = {word: cells[key] for word, cells in theirs.items() if key in cells}
        found[key] = (len(wanted.items() & made.items()), len(made), len(wanted))
    return found


def _cells(side: Any, text: str) -> dict[tuple[int, int, str, int], dict[str, Any]]:
    """What is counted of each word: its head under its relation, its features' values."""
    keys: dict[Any, tuple[int, int, str, int]] = {}
    for (start, end), group in groupby(
        side.words, key=lambda word: (word.span.start, word.span.end)
    ):
        words = list(group)
        # "don't" is written as its words do and n't are, "della" is not as di and la.
        written = sum(len(word.columns[1]) for word in words) == end - start
        at = start
        for number, word in enumerate(words):
            form = word.columns[1].lower()
            keys[word] = (at, at + len(form), form, 0) if written else (start, end, form, number)
            at += len(form)
    rows = [line.split("\t") for line in text.splitlines()]
    rows = [row for row in rows if row[0].isdecimal()]
    cells: dict[tuple[int, int, str, int], dict[str, Any]] = {}
    for word, row in zip(side.words, rows, strict=True):
        head = keys.get(word.parent)
        own = cells[keys[word]] = {row[7]: head}
        if row[3] == "PRON":
            own[f"{row[7]} PRON"] = head
        own |= dict(one.split("=", 1) for one in row[5].split("|") if "=" in one)
    return cells


def _parse(backend: SpacyPipeline, gold: str, given: Given) -> list[str]:
    """Parse what a pipeline is given of a treebank, as CoNLL-U by sentence; raw text is one."""
    sentences = conllu.parse(gold)
    if given == "words":
        analyses = backend.on_words(map(_words, sentences))
        for sentence, analysis in zip(sentences, analyses, strict=True):
            rows = [row for row in sentence if isinstance(row["id"], int)]
            for index, (row, cells) in enumerate(zip(rows, _columns(analysis), strict=True)):
                above = analysis.head[index]
                row.update(
                    zip(("lemma", "upos", "xpos", "feats", "deprel"), cells[1:], strict=True)
                )
                row.update(head=0 if above == index else above + 1, deps="_")
        return [sentence.serialize() for sentence in sentences]
    if given == "sentences":
        texts = [(own, ((0, len(own)),)) for own in (s.metadata["text"] for s in sentences)]
        return list(map(_conllu, backend.trees(texts)))
    return ["".join(map(_conllu, backend.full(_texts(sentences))))]


def _words(sentence: conllu.TokenList) -> SentenceWords:
    """The words of a sentence; behind one within a multiword token stands no space."""
    token_of = {
        number: row
        for row in sentence
        if isinstance(row["id"], tuple) and row["id"][1] == "-"
        for number in range(row["id"][0], row["id"][2] + 1)
    }
    forms, spaces = [], []
    for row in sentence:
        if isinstance(number := row["id"], int):
            token = token_of.get(number, row)
            forms.append(row["form"])
            ends = token is row or number == token["id"][2]
            spaces.append(ends and (token["misc"] or {}).get("SpaceAfter") != "No")
    return SentenceWords(forms, spaces)


def _texts(sentences: Iterable[conllu.TokenList]) -> Iterator[str]:
    """The paragraphs of a treebank, or pieces of them."""
    text = ""
    for sentence in sentences:
        own = sentence.metadata["text"]
        opens = not {"newpar", "newpar id", "newdoc", "newdoc id"}.isdisjoint(sentence.metadata)
        if text and (opens or len(text) + len(own) > _MOST):
            yield text
            text = ""
        text = f"{text} {own}" if text else own
    if text:
        yield text


def _columns(analysis: Analysis) -> list[tuple[str, ...]]:
    """Form, lemma, parts of speech, features and relation of each word, as CoNLL-U has them."""
    columns = (analysis.forms, analysis.lemma, analysis.upos, analysis.xpos, analysis.feats)
    filled = [column or ("_",) * len(analysis.words) for column in (*columns, analysis.deprel)]
    return [tuple(cell or "_" for cell in row) for row in zip(*filled, strict=True)]


def _conllu(analysis: Analysis) -> str:
    """An analysis as CoNLL-U; words of one span are those of a multiword token."""
    starts = [start for start, _ in analysis.sentences]
    sentence_of = [bisect_right(starts, start) for start, _ in analysis.words]
    columns = _columns(analysis)
    lines: list[str] = []
    for _, group in groupby(range(len(analysis.words)), key=sentence_of.__getitem__):
        first, *_ = indices = list(group)
        for span, part in groupby(indices, key=analysis.words.__getitem__):
            inside, written = list(part), analysis.text[slice(*span)]
            if len(inside) > 1 or columns[inside[0]][0] != written:  # "-se", the word "se"
                ends = f"{inside[0] - first + 1}-{inside[-1] - first + 1}"
                lines.append("\t".join([ends, written, *"________"]))
            for index in inside:
                above = analysis.head[index]
                number = 0 if above == index else above - first + 1
                *cells, deprel = columns[index]
                row = [str(index - first + 1), *cells, str(number), deprel, "_", "_"]
                lines.append("\t".join(row))
        lines.append("")
    return "".join(f"{line}\n" for line in lines)


def sentence_f1(nlp: Language, samples: Sequence[Sample], together: int = 5) -> float:
    """F1 of sentence starts where every `together` samples of one sentence make a document."""
    right = found = gold = 0
    for at in range(0, len(samples), together):
        document = join(list(samples[at : at + together]))
        with nlp.select_pipes(enable=["tok2vec", "senter"]):
            starts = {sentence.start_char for sentence in nlp(document.text).sents}
        right += len(starts & set(document.starts))
        found += len(starts)
        gold += len(document.starts)
    return f1([right, found, gold])


def speed(nlp: Language, texts: Sequence[str], enable: Sequence[str]) -> float:
    """Tokens a second of processor time, best of three, documents of about 1,000 characters."""
    pieces, piece = [], ""
    for text in texts:
        piece = f"{piece} {text}" if piece else text
        if len(piece) > 1000:
            pieces.append(piece)
            piece = ""
    best = 0.0
    with nlp.select_pipes(enable=list(enable)):
        for _ in range(3):
            began = time.process_time()
            tokens = sum(len(doc) for doc in nlp.pipe(pieces, batch_size=128))
            best = max(best, tokens / (time.process_time() - began))
    return best
