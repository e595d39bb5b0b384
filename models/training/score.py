"""Scores on text that was not trained on: names by exact span, trees by aligned tokens, speed."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence

from spacy.language import Language
from spacy.scorer import Scorer
from spacy.training import Example

from models.training.loop import tree_example
from models.training.sources import Sample, Tree, join


def span_counts(
    nlp: Language, samples: Sequence[Sample], labels: Iterable[str]
) -> dict[str, tuple[int, int, int]]:
    """Per label (right, predicted, gold); spans that touch an unknown stretch are left out."""
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


def f1(right: int, found: int, gold: int) -> float:
    """Harmonic mean of right/found and right/gold; 0 where nothing is right."""
    return 2 * right / (found + gold) if right else 0.0


def tree_scores(nlp: Language, groups: Sequence[Sequence[Tree]]) -> dict[str, float]:
    """UPOS, XPOS, UFeats, UAS, LAS and sentence F1 from raw text, through our own tokenizer."""
    examples = []
    for group in groups:
        reference = tree_example(nlp, group).reference
        examples.append(Example(nlp(reference.text), reference))
    tags = Scorer.score_token_attr
    scores = {
        **Scorer.score_tokenization(examples),
        **tags(examples, "tag"),
        **tags(examples, "pos"),
        **tags(examples, "morph", getter=lambda token, _: str(token.morph)),
        **Scorer.score_spans(examples, "sents"),
        **Scorer.score_deps(examples, "dep", ignore_labels=()),
    }
    return {
        "token F1": scores["token_f"],
        "sentence F1": scores["sents_f"],
        "UPOS": scores["pos_acc"],
        "XPOS": scores["tag_acc"],
        "UFeats": scores["morph_acc"],
        "UAS": scores["dep_uas"],
        "LAS": scores["dep_las"],
    }


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
    """Tokens a second on this process, best of three runs, documents of about 1,000 characters."""
    pieces, piece = [], ""
    for text in texts:
        piece = f"{piece} {text}" if piece else text
        if len(piece) > 1000:
            pieces.append(piece)
            piece = ""
    best = 0.0
    with nlp.select_pipes(enable=list(enable)):
        for _ in range(3):
            began = time.perf_counter()
            tokens = sum(len(doc) for doc in nlp.pipe(pieces, batch_size=128))
            best = max(best, tokens / (time.perf_counter() - began))
    return best
