"""Scores on text that was not trained on: names by exact span, trees by CoNLL-18, speed."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from spacy.language import Language

from corefmill.builders.nlp import evaluation
from corefmill.builders.nlp.evaluate_ud import Scores
from corefmill.builders.nlp.evaluation import Given
from tools.pipelines.sources import Sample, join


def span_counts(
    nlp: Language, samples: Sequence[Sample], labels: Iterable[str]
) -> dict[str, tuple[int, int, int]]:
    """Per label (right, predicted, gold); spans that touch an unknown passage are left out."""
    right: Counter[str] = Counter()
    found: Counter[str] = Counter()
    gold: Counter[str] = Counter()
    with nlp.select_pipes(enable=["tok2vec", "senter", "ner"]):
        docs = nlp.pipe((s.text for s in samples), batch_size=256)
        for doc, sample in zip(docs, samples, strict=True):
            wanted = set(sample.spans)
            gold.update(label for _, _, label in wanted)
            for ent in doc.ents:
                if any(a < ent.end_char and ent.start_char < b for a, b in sample.unknown):
                    continue
                found[ent.label_] += 1
                right[ent.label_] += (ent.start_char, ent.end_char, ent.label_) in wanted
    return {label: (right[label], found[label], gold[label]) for label in labels}


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


def f1(right: int, found: int, gold: int) -> float:
    """Harmonic mean of right/found and right/gold; 0 where nothing is right."""
    return 2 * right / (found + gold) if right else 0.0


def trees(pipeline: Path, treebank: Path, inputs: Sequence[Given]) -> dict[Given, Scores]:
    """By what is given to the pipeline: its scores by the rules of the CoNLL 2018 shared task."""
    found = {}
    for given in inputs:
        report = evaluation.run(str(pipeline), treebank, given=given)
        assert isinstance(report, evaluation.TreeReport)
        found[given] = report.scores
    return found


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
    return f1(right, found, gold)


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
