"""A corpus of masked examples as a task of lm-evaluation-harness: a folder of YAML and JSON Lines.

No code is in it: columns of the rows say what is asked (`corpora/formats/lm_eval.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from corefmill.corpora import find
from corefmill.corpora.atomic import new_folder, write_whole
from corefmill.corpora.card_parts import yaml
from corefmill.corpora.errors import DataError, UsageError
from corefmill.corpora.find import FoundCorpus
from corefmill.corpora.formats import lm_eval
from corefmill.corpora.records import KINDS, MaskedExample


@dataclass(frozen=True, slots=True)
class ExportedTask:
    """A task that was written: its name, the split, its rows, and examples without a label."""

    name: str
    split: str
    rows: int
    left_out: int


def write(corpus: FoundCorpus, split: str | None, out: Path) -> ExportedTask:
    """Writes `out`/TASK.yaml and TASK.jsonl, whole or not at all.

    Examples without a label are left out and counted. Raises `UsageError` for a corpus of another
    kind and where `out` holds something, `DataError` where no example has a label.
    """
    if corpus.kind != "masked":
        raise UsageError(
            f"{corpus.name} holds {corpus.holds}, and a task is made of {KINDS['masked'].plural}"
        )
    split = find.judged_split(corpus, split)
    name = re.sub(r"\W+", "_", f"corefmill_{corpus.name}_{split}".lower(), flags=re.ASCII)
    examples = [one for one in find.records(corpus, split) if isinstance(one, MaskedExample)]
    labelled = [one for one in examples if one.label is not None]
    if not labelled:
        raise DataError(
            f"none of {len(examples):,} examples of {split} of {corpus.name} has a label"
        )
    with new_folder(out) as folder:
        rows = lm_eval.write(folder / f"{name}.jsonl", ((one, corpus.name) for one in labelled))
        write_whole(folder / f"{name}.yaml", _config(name, corpus.name))
    return ExportedTask(name, split, rows, len(examples) - rows)


def _config(name: str, corpus: str) -> str:
    """The task's YAML."""
    config = {
        "task": name,
        "tag": "corefmill",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": f"{name}.jsonl"}},
        "test_split": "test",
        "output_type": "multiple_choice",
        "num_fewshot": 0,
        # Of several inputs and one continuation the right input is the text, as in winogrande.
        "doc_to_text": "label",
        "doc_to_choice": "contexts",
        "doc_to_target": "continuation",
        "target_delimiter": "",
        "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
        "metadata": {"version": 1.0, "corpus": corpus},
    }
    about = "# Run in this folder: lm_eval --include_path . --tasks " + name
    return "\n".join([about, *yaml(config)]) + "\n"
