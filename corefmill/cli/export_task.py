"""`corefmill export-task`: a corpus of masked examples as a task that other tools evaluate."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corefmill.cli import completing
from corefmill.cli.plain_options import DataDir, Json, MaybeLang, Quiet, Split
from corefmill.cli.printing import print_result

if TYPE_CHECKING:
    from corefmill.corpora.find import FoundCorpus

EXAMPLES = """Examples:

    corefmill export-task dpr --data-dir data --to lm-eval --out dpr-task

    corefmill export-task out/wikicrem-en --split validation --to lm-eval --out wikicrem-task

    cd dpr-task && lm_eval --include_path . --tasks corefmill_dpr_test --log_samples \\
        --output_path log --model hf --model_args pretrained=gpt2

    corefmill score dpr-task/corefmill_dpr_test.jsonl dpr-task/log/gpt2/samples_*.jsonl
"""


class Harness(StrEnum):
    """The tool that is to run a task."""

    lm_eval = "lm-eval"


def export_task(
    corpus: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE",
            help="Masked examples: a corpus by name, file, folder.",
            autocompletion=completing.corpora,
        ),
    ],
    to: Annotated[
        Harness, typer.Option(help="lm-eval: lm-evaluation-harness, YAML and JSON Lines, no code.")
    ],
    out: Annotated[Path, typer.Option(help="Folder to write, new or empty.")],
    data_dir: DataDir = Path("data"),
    split: Split = None,
    lang: MaybeLang = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Export masked examples as a task of lm-evaluation-harness.

    A model is asked which candidate in the target's place makes the rest of the text likelier. The
    log of its samples (--log_samples) is read by `score` and by `overlap --answers`.
    """
    from corefmill.corpora.find import find_corpus

    made = _write_task(find_corpus(corpus, data_dir=data_dir, lang=lang), split, out)
    left = f", {made['left_out']:,} without a label left out" if made["left_out"] else ""
    said = f"{out}: the task {made['name']}, {made['rows']:,} examples of {made['split']}{left}"
    print_result({"out": str(out), "to": to.value, **made}, said, as_json=as_json, quiet=quiet)


def _write_task(corpus: FoundCorpus, split: str | None, out: Path) -> dict[str, Any]:
    """Write `out`/TASK.yaml and TASK.jsonl, whole or not at all, and return what was written.

    Examples without a label are left out and counted. Raises `UsageError` for a corpus of another
    kind and where `out` holds something, `DataError` where no example has a label.
    """
    from corefmill.corpora import find
    from corefmill.corpora.card_parts import yaml
    from corefmill.corpora.files.errors import DataError, UsageError
    from corefmill.corpora.files.writing import new_folder, write_whole
    from corefmill.corpora.formats import lm_eval
    from corefmill.corpora.records import KINDS, MaskedExample

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
        "metadata": {"version": 1.0, "corpus": corpus.name},
    }
    about = f"# Run in this folder: lm_eval --include_path . --tasks {name}"
    with new_folder(out) as folder:
        rows = lm_eval.write(folder / f"{name}.jsonl", ((one, corpus.name) for one in labelled))
        write_whole(folder / f"{name}.yaml", "\n".join([about, *yaml(config)]) + "\n")
    return {"name": name, "split": split, "rows": rows, "left_out": len(examples) - rows}
