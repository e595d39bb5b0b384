"""`corefmill annotate`: tasks for raters, their answers, and the hashed form of the result."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from corefmill.cli import annotate_report
from corefmill.cli.command import Argument, Option
from corefmill.cli.options import Json, Overwrite, Quiet, seed_option
from corefmill.cli.printing import Told, print_result
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.files.writing import make_way

if TYPE_CHECKING:
    from corefmill.corpora.manifest import Manifest

RATERS, LEAST = 5, 4
"""KnowRef-60K's test set holds what 4 or 5 raters agree on (spec C2)."""
EVENTS_RATERS, EVENTS_LEAST = 2, 1
"""WEC's dev and test were validated by one reader, a part by a second (WEC, section 3.3)."""


class Tool(StrEnum):
    """A place that tasks go to and answers come from."""

    csv = "csv"
    label_studio = "label-studio"
    inception = "inception"


CORPUS = Annotated[
    Path, Argument(metavar="CORPUS", help="Directory of a corpus of masked examples.")
]
JUDGED = Annotated[
    Path,
    Argument(metavar="CORPUS", help="Corpus of masked examples, event mentions or documents."),
]


Chains = Annotated[
    bool,
    Option("--chains", help="With label-studio: documents with their chains, no questions."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFile:
    """The tool that tasks are written for, the raters, and the items."""

    out: Annotated[Path, Option("--out", help="The task file, CSV; else a folder.")]
    to: Annotated[Tool, Option("--to", help="What is written.")] = Tool.csv
    chains: Chains = False
    raters: Annotated[
        int | None,
        Option(
            min=1,
            help="Raters of each item, in csv.",
            default=f"{RATERS}, of event mentions {EVENTS_RATERS}",
        ),
    ] = None
    split: Annotated[
        str | None,
        Option(help="Only this split.", default="all, of event mentions not train"),
    ] = None
    limit: Annotated[
        int | None, Option(min=1, help="At most this many items, drawn at random.")
    ] = None
    seed: Annotated[int, seed_option("Seed of the draw and of each rater's order.")] = 0
    overwrite: Overwrite = False
    as_json: Json = False
    quiet: Quiet = False


def export(corpus: JUDGED, given: TaskFile) -> None:
    """Write the tasks: a row for each item and rater, the pronoun or mention in brackets.

    The raters fill the column `answer`: the letter of a candidate, or x where none is meant; of
    event mentions y or n, and a reason. Rows stand rater by rater. `annotate serve` asks the same
    in a browser; other tools ask it by what --to writes. inception carries documents with their
    chains, in WebAnno TSV.

    Examples:
        corefmill annotate export out/knowref-en --out tasks.csv
        corefmill annotate export out/knowref-en --raters 3 --limit 200 --out tasks.csv
        corefmill annotate export out/wec-en --split test --out mentions.csv
        corefmill annotate export out/wec-en --to label-studio --out label-studio
        corefmill annotate export litbank.jsonl --to inception --out inception
    """
    write = _write_sheet if given.to is Tool.csv else _write_for_tool
    result, said = write(corpus, given)
    print_result(result, said, as_json=given.as_json, quiet=given.quiet)


def _write_for_tool(corpus: Path, given: TaskFile) -> Told:
    from corefmill.annotate import transfer

    if given.raters is not None:
        raise UsageError(f"--raters is for csv: {given.to} hands out the items itself")
    out, tool = given.out, str(given.to)
    done = transfer.export(
        corpus,
        out,
        tool,
        split=given.split,
        limit=given.limit,
        seed=given.seed,
        as_chains=given.chains,
        overwrite=given.overwrite,
    )
    result = {"out": str(out), "to": tool, done.what: done.count}
    return result, f"{done.count:,} {done.what} for {tool} are in {out}."


def _write_sheet(corpus: Path, given: TaskFile) -> Told:
    if given.chains:
        raise UsageError("csv carries no chains", remedy="name another --to")
    if given.out.suffix.lower() in (".xlsx", ".xls", ".ods"):
        raise UsageError("CSV is written here", path=given.out, remedy="name it .csv")
    out, overwrite = given.out, given.overwrite
    split, limit, seed = given.split, given.limit, given.seed
    if _is_events(corpus):
        from corefmill.annotate import judgements
        from corefmill.annotate.transfer import choose_items

        mentions, raters = choose_items(corpus, split, limit, seed), given.raters or EVENTS_RATERS
        make_way(out, overwrite=overwrite)
        rows = judgements.write_events(out, mentions, raters=raters)
        return _sheet_written(out, len(mentions), "mentions", raters, rows)
    from corefmill.builders.corpus import annotate, tasks

    found = annotate.examples(corpus)
    if split is not None and split not in found:
        raise UsageError(f"no split {split!r}; there are {', '.join(found)}", path=corpus)
    examples = [e for name, own in found.items() if split in (None, name) for e in own]
    if limit is not None and limit < len(examples):
        examples = tasks.drawn(examples, limit, seed)
    raters = given.raters or RATERS
    make_way(out, overwrite=overwrite)
    rows = tasks.write(out, examples, raters=raters, seed=seed)
    return _sheet_written(out, len(examples), "items", raters, rows)


def _sheet_written(out: Path, items: int, what: str, raters: int, rows: int) -> Told:
    result = {"out": str(out), "items": items, "rows": rows}
    return result, f"{items:,} {what} for {raters} raters, {rows:,} rows, are in {out}."


def _is_events(corpus: Path) -> bool:
    """Whether a corpus holds event mentions; raises `DataError` where it is none."""
    from corefmill.corpora import manifest

    return manifest.read(corpus).schema == "event-mention/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFiles:
    """The tool and the raters whose answers are read, and how many of them decide."""

    out: Annotated[Path, Option("--out", help="Directory of the labelled corpus.")]
    come_from: Annotated[
        Tool,
        Option(
            "--from",
            help="The tool that wrote the files. For all but csv OUT is a file of JSON Lines, of"
            " judgements or of documents with the chains that were read.",
        ),
    ] = Tool.csv
    chains: Chains = False
    rater: Annotated[
        str | None,
        Option(metavar="NAME", help="Only of this rater; not of csv.", default="all of them"),
    ] = None
    min_raters: Annotated[
        int | None,
        Option(
            min=1,
            help="How many raters must agree on an item, as in the published sets; for"
            " documents, how many must be done with it.",
            default=f"{LEAST}, of events and documents {EVENTS_LEAST}",
        ),
    ] = None
    adjudicator: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="The rater whose answers, in JSON Lines, overrule those of all others.",
        ),
    ] = None
    overwrite: Overwrite = False
    as_json: Json = False
    quiet: Quiet = False


def import_(
    corpus: JUDGED,
    answers: Annotated[
        list[Path],
        Argument(
            metavar="FILE...",
            help="Answers: of `annotate serve`, JSON Lines, or CSV. With --from, files or folders.",
        ),
    ],
    given: AnswerFiles,
) -> None:
    """Read the answers: items on which enough raters agree become a corpus with labels.

    Of event mentions: what raters rejected leaves dev and test, and their articles leave train.
    Of documents that were corrected (`serve --task`): what who adjudicates made of each, else what
    more than half of its raters say. Answers of models are left out. What --from reads has to be
    imported again as JSON Lines.

    Examples:
        corefmill annotate import out/knowref-en tasks.csv --out out/knowref-en-labelled
        corefmill annotate import out/knowref-en rater-*.csv --min-raters 3 --out out/labelled
        corefmill annotate import out/wec-en out/wec-en.answers.sqlite --out out/wec-en-validated
        corefmill annotate import litbank.conll litbank.conll.chains.sqlite --out out/litbank
        corefmill annotate import out/wec-en export.json --from label-studio --out judgements.jsonl
        corefmill annotate import litbank.jsonl zoe/ --from inception --out zoe.jsonl
    """
    read = _read_answers if given.come_from is Tool.csv else _read_of_tool
    result, said = read(corpus, answers, given)
    print_result(result, said, as_json=given.as_json, quiet=given.quiet)


def _read_of_tool(corpus: Path, answers: Sequence[Path], given: AnswerFiles) -> Told:
    from corefmill.annotate import transfer

    if given.min_raters is not None or given.adjudicator is not None:
        raise UsageError("--min-raters and --adjudicator decide on labels, and --from makes none")
    out, tool = given.out, str(given.come_from)
    done = transfer.import_answers(
        *(corpus, answers, out, tool),
        as_chains=given.chains,
        rater=given.rater,
        overwrite=given.overwrite,
    )
    left_out = dict(sorted(done.left_out.items()))
    said = f"{done.count:,} {done.what} of {tool} are in {out}."
    if left_out:
        left = ", ".join(f"{what} ({count:,})" for what, count in left_out.items())
        said += f" Not read: {left}."
    result = {"out": str(out), "from": tool, done.what: done.count, "left_out": left_out}
    return result, said


def _read_answers(corpus: Path, answers: Sequence[Path], given: AnswerFiles) -> Told:
    if given.chains or given.rater is not None:
        raise UsageError(f"{'--chains' if given.chains else '--rater'} needs --from")
    if _is_of_documents(answers):
        made, said = _correct_documents(corpus, answers, given)
    elif _is_events(corpus):
        made, said = _validate_events(corpus, answers, given)
    else:
        made, said = _label_examples(corpus, answers, given)
    return {"out": str(given.out), "splits": made.splits, "counts": made.counts}, said


def _command(corpus: Path, answers: Sequence[Path], given: AnswerFiles) -> str:
    """The line that the new corpus's card gives to make it again."""
    words = ["import", *(disk.show_name(path.name) for path in (corpus, *answers))]
    words += ["--adjudicator", given.adjudicator] if given.adjudicator else []
    words += ["--min-raters", str(given.min_raters)] if given.min_raters else []
    return shlex.join(["corefmill", "annotate", *words])


def _validate_events(
    corpus: Path, answers: Sequence[Path], given: AnswerFiles
) -> tuple[Manifest, str]:
    """Write the validated corpus; return its manifest, and what to tell of it."""
    from corefmill.annotate.judgements import gather_answers
    from corefmill.annotate.results import validate

    made = validate(
        corpus,
        answers,
        given.out,
        answers=gather_answers(corpus, answers, events=True, adjudicator=given.adjudicator),
        least=given.min_raters or EVENTS_LEAST,
        overwrite=given.overwrite,
        command=_command(corpus, answers, given),
    )
    return made, _describe(made, f"The validated corpus is in {given.out}", "mentions")


def _describe(made: Manifest, where: str, units: str) -> str:
    """Tell of a judged corpus how many units each split has, and what was left out."""
    sizes = ", ".join(f"{split} {size:,}" for split, size in made.splits.items())
    left = [
        f"{split}: {reason} {count:,}"
        for split, counted in made.counts["rejected"].items()
        for reason, count in counted.items()
    ]
    return f"{where}: {sizes} {units}. Left out: {'; '.join(left) or '-'}."


def _label_examples(
    corpus: Path, answers: Sequence[Path], given: AnswerFiles
) -> tuple[Manifest, str]:
    """Write the labelled corpus; return its manifest, and what to tell of it."""
    from corefmill.annotate.judgements import gather_answers
    from corefmill.builders.corpus import annotate
    from corefmill.builders.knowref.assemble import write_json
    from corefmill.corpora.formats import five_line, masked_conll

    found = gather_answers(corpus, answers, events=False, adjudicator=given.adjudicator)
    made = annotate.label(
        corpus,
        answers,
        given.out,
        votes=found.candidates(),
        decided=found.decisions(),
        said=found.facts(),
        least=given.min_raters or LEAST,
        overwrite=given.overwrite,
        forms={
            ".conll": masked_conll.write,
            ".txt": five_line.write,
            **({".json": write_json} if (corpus / "train.json").exists() else {}),
        },
        command=_command(corpus, answers, given),
    )
    counts = made.counts
    alpha = "-" if counts["alpha"] is None else f"{counts['alpha']:.3f}"
    left = ", ".join(f"{reason} {count:,}" for reason, count in counts["rejected"].items()) or "-"
    return made, (
        f"{sum(made.splits.values()):,} of {counts['items']:,} items have a label; they are in"
        f" {given.out}. Krippendorff's alpha {alpha}; without a label: {left}."
    )


def _is_of_documents(files: Sequence[Path]) -> bool:
    """Whether answers are acts on documents; such a file has to be alone."""
    from corefmill.annotate.judgements import task_of

    if not any(task_of(path) for path in files):
        return False
    if len(files) > 1:
        raise UsageError("acts on documents are imported from one file", path=files[1])
    return True


def _correct_documents(
    corpus: Path, answers: Sequence[Path], given: AnswerFiles
) -> tuple[Manifest, str]:
    """Write the corrected corpus; return its manifest, and what to tell of it."""
    from corefmill.annotate import results

    if given.adjudicator is not None:
        raise UsageError("--adjudicator is for JSON Lines: the pages record who adjudicates")
    with annotate_report.open_pages(answers, corpus) as kept:
        made = results.correct(
            corpus,
            answers[0],
            kept,
            given.out,
            least=given.min_raters or 1,
            overwrite=given.overwrite,
            command=_command(corpus, answers, given),
        )
    return made, _describe(made, f"The corrected corpus is in {given.out}", "documents")


def answers(
    db: Annotated[Path, Argument(metavar="DB", help="File of `annotate serve`.")],
    out: Annotated[Path, Option("--out", help="The answers, JSON Lines.")],
    adjudicated: Annotated[
        bool, Option("--adjudicated", help="What the adjudicator decided, too.")
    ] = False,
    overwrite: Overwrite = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write what raters said: a judgement a line, without exercises and what was undone.

    It may run while the pages are served.

    Examples:
        corefmill annotate answers out/wec-en.answers.sqlite --out answers.jsonl
        corefmill annotate answers out/wec-en.answers.sqlite --adjudicated --out all.jsonl --json
    """
    from corefmill.annotate import judgements

    make_way(out, overwrite=overwrite)
    count = judgements.write(out, judgements.read_stored(db, adjudicated=adjudicated))
    result = {"out": str(out), "judgements": count}
    print_result(result, f"{count:,} judgements are in {out}.", as_json=as_json, quiet=quiet)


def table(
    description: Annotated[
        Path, Argument(metavar="FILE.toml", help="Which columns are what, CSV by CSV.")
    ],
    out: Annotated[
        Path, Option(metavar="DIR", help="A folder for the judgements, a file for each CSV.")
    ],
    overwrite: Overwrite = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Turn CSV files of answers into judgements, as a description beside them says.

    benchmarks/readings/answers.toml of the repository is one, with every key explained.

    Examples:
        corefmill annotate table benchmarks/readings/answers.toml --out out/readings
        corefmill annotate report --models out/readings/wec-blind.jsonl
    """
    from corefmill.annotate import judgements

    found = dict(judgements.read_tables(description))
    targets = {out / f"{Path(name).stem}.jsonl": said for name, said in found.items()}
    make_way(*targets, overwrite=overwrite)
    counts = {path.name: judgements.write(path, said) for path, said in targets.items()}
    said = f"{sum(counts.values()):,} judgements of {len(counts)} files are in {out}."
    result = {"out": str(out), "judgements": counts}
    print_result(result, said, as_json=as_json, quiet=quiet)
