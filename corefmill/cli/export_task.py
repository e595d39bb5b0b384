"""`corefmill export-task`: a corpus of masked examples as a task that other tools evaluate."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from corefmill.cli import completing
from corefmill.cli.command import Argument, Option
from corefmill.cli.plain_options import DataDir, Json, MaybeLang, Quiet, Split
from corefmill.cli.printing import print_result


class Harness(StrEnum):
    """The tool that is to run a task."""

    lm_eval = "lm-eval"


def export_task(
    corpus: Annotated[
        str,
        Argument(
            metavar="NAME|FILE",
            help="Masked examples: a corpus by name, file, folder.",
            complete=completing.corpora,
        ),
    ],
    to: Annotated[
        Harness, Option(help="lm-eval: lm-evaluation-harness, YAML and JSON Lines, no code.")
    ],
    out: Annotated[Path, Option(help="Folder to write, new or empty.")],
    data_dir: DataDir = Path("data"),
    split: Split = None,
    lang: MaybeLang = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Export masked examples as a task of lm-evaluation-harness.

    A model is asked which candidate in the target's place makes the rest of the text likelier. The
    log of its samples (--log_samples) is read by `score` and by `overlap --answers`.

    Examples:
        corefmill export-task dpr --data-dir data --to lm-eval --out dpr-task
        corefmill export-task out/wikicrem-en --split validation --to lm-eval --out wikicrem-task
        cd dpr-task && lm_eval --include_path . --tasks corefmill_dpr_test --log_samples \\
            --output_path log --model hf --model_args pretrained=gpt2
        corefmill score dpr-task/corefmill_dpr_test.jsonl dpr-task/log/gpt2/samples_*.jsonl
    """
    from corefmill.corpora.find import found
    from corefmill.corpora.task_folder import write

    made = write(found(corpus, data_dir=data_dir, lang=lang), split, out)
    left = f", {made.left_out:,} without a label left out" if made.left_out else ""
    said = f"{out}: the task {made.name}, {made.rows:,} examples of {made.split}{left}"
    result = {"out": str(out), "to": to.value, **asdict(made)}
    print_result(result, said, as_json=as_json, quiet=quiet)
