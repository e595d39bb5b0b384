"""A model on a corpus: which split is scored, and by which protocol.

`evaluation/KIND.py` has the protocol of each kind of record, as `rows_of`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module

from corefmill.coref_model.evaluation import gap, wnli
from corefmill.coref_model.evaluation.rows import DRAWS, EvaluationOptions, ScoreRow
from corefmill.coref_model.prediction.predictor import Predictor
from corefmill.coref_model.training.checkpoint import as_trained
from corefmill.coref_model.training.task import kind_of
from corefmill.corpora import find
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError
from corefmill.corpora.find import FoundCorpus
from corefmill.corpora.records import KINDS
from corefmill.corpora.scoring import signature


def evaluate(
    predictor: Predictor, corpus: FoundCorpus, options: EvaluationOptions
) -> list[ScoreRow]:
    """The rows of one corpus.

    Raises `DataError` for a corpus that the model is not for, and for a split that is not there.
    """
    wanted = kind_of(predictor.task).records
    if corpus.kind != wanted:
        raise DataError(
            f"{corpus.name} holds {corpus.holds}, and the model is for {KINDS[wanted].plural}",
            remedy="name a corpus of that kind, or another model",
        )
    if predictor.checkpoint is not None:
        corpus = as_trained(predictor.checkpoint, corpus, options.split)
    split = find.choose_split(corpus, options.split)
    size = find.count(corpus, split)
    protocol = import_module(f"corefmill.coref_model.evaluation.{wanted}")
    return _signed(protocol.rows_of(predictor, corpus, split, options), corpus, size, options)


def _signed(
    rows: Sequence[ScoreRow], corpus: FoundCorpus, size: int, options: EvaluationOptions
) -> list[ScoreRow]:
    """The rows of a corpus of `size` judged records, each with the signature of its protocol."""
    if not rows:
        return []
    split, drawn = rows[0].split, corpus.held_out
    choice = [split] if corpus.split_source == "records" or drawn else []
    choice += [f"{drawn.share} {drawn.seed}"] if drawn else []
    key = signature.checksum_of(disk.files_of(corpus.splits[split]), *choice)
    by_nlp = (gap.FOUND, wnli.PROTOCOL)  # these ask a pipeline whom or what there is to choose
    found = {}
    for name in dict.fromkeys(row.protocol for row in rows):
        own = [row for row in rows if row.protocol == name]
        found[name] = signature.make_signature(
            "evaluation",
            dict.fromkeys(f"{row.metric}.{row.group}".strip(".") for row in own),
            {"protocol": name} | ({"nlp": options.nlp} if options.nlp and name in by_nlp else {}),
            size=(KINDS[corpus.kind].plural.split()[-1], size),
            drawn=(DRAWS, options.seed) if any(row.low is not None for row in own) else None,
            key=key,
        )
    return [replace(row, signature=str(found[row.protocol])) for row in rows]
