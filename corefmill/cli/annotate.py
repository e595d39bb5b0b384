"""`corefmill annotate`: tasks for spreadsheets and other tools, and corpora made of answers."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from corefmill.cli.command import Argument, Option
from corefmill.cli.options import Json, Overwrite, Quiet, seed_option
from corefmill.cli.printing import Told, print_result
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import DataError, UsageError
from corefmill.corpora.files.writing import make_way

if TYPE_CHECKING:
    from corefmill.annotate.documents import ReadChains
    from corefmill.annotate.questions import AnnotationItem
    from corefmill.corpora.manifest import Manifest

RATERS, LEAST = 5, 4
"""KnowRef-60K's test set holds what 4 or 5 raters agree on (spec C2)."""
EVENTS_RATERS, EVENTS_LEAST = 2, 1
"""WEC's dev and test were validated by one reader, a part by a second (WEC, section 3.3)."""


class Tool(StrEnum):
    """An annotation tool: spreadsheets or Label Studio for questions, INCEpTION for chains."""

    csv = "csv"
    label_studio = "label-studio"
    inception = "inception"


_ENDINGS = {Tool.label_studio: ".json", Tool.inception: ".tsv"}

CORPUS = Annotated[
    Path, Argument(metavar="CORPUS", help="Corpus of masked examples, event mentions or documents.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOptions:
    """The annotation tool, the raters, and the items."""

    out: Annotated[
        Path, Option("--out", help="Spreadsheet to write; a folder if --to names another tool.")
    ]
    to: Annotated[
        Tool,
        Option(
            "--to",
            help="Annotation tool to write for: csv (spreadsheet) or label-studio for questions,"
            " inception to correct the clusters of documents.",
            default="csv",
        ),
    ] = Tool.csv
    raters: Annotated[
        int | None,
        Option(
            min=1,
            help="Number of raters of each item, in csv.",
            default=f"{RATERS}, of event mentions {EVENTS_RATERS}",
        ),
    ] = None
    split: Annotated[
        str | None,
        Option(help="Export only this split.", default="all, of event mentions not train"),
    ] = None
    limit: Annotated[
        int | None, Option(min=1, help="Export at most this many items, drawn at random.")
    ] = None
    seed: Annotated[
        int, seed_option("Seed of the draw of items and of their order for each rater.")
    ] = 0
    overwrite: Overwrite = False
    as_json: Json = False
    quiet: Quiet = False


def export(corpus: CORPUS, given: TaskOptions) -> None:
    """Write tasks for raters: a spreadsheet, or the files of an annotation tool.

    The spreadsheet has a row for each item and rater, the pronoun or mention in brackets. Raters
    fill the column `answer`: the letter of a candidate, or x where none is meant; of event mentions
    y or n, and a reason. Label Studio asks the questions of `annotate serve`; INCEpTION shows
    documents with their chains, in WebAnno TSV.

    Examples:
        corefmill annotate export out/knowref-en --out tasks.csv
        corefmill annotate export out/knowref-en --raters 3 --limit 200 --out tasks.csv
        corefmill annotate export out/wec-en --split test --to label-studio --out label-studio
        corefmill annotate export litbank.jsonl --to inception --out inception
    """
    from corefmill.annotate import documents, label_studio, webanno
    from corefmill.builders.run.stages import make_random

    if given.to is Tool.csv:
        result, said = _write_sheet(corpus, given)
        print_result(result, said, as_json=given.as_json, quiet=given.quiet)
        return
    if given.raters is not None:
        raise UsageError(
            f"--raters works only with --to csv: {given.to} assigns the items to raters itself"
        )
    if given.to is Tool.inception:
        texts = list(documents.read_documents(corpus))
        splits = _choose_splits(corpus, given.split, [one.split for one in texts])
        # The draw depends on the numbers of the documents, so that a larger limit only adds some.
        order = sorted(
            (one for one in texts if one.split in splits),
            key=lambda one: make_random(given.seed, "drawn", one.number).random(),
        )
        taken = sorted(order[: given.limit], key=lambda one: one.number)
        webanno.write_chains(given.out, taken, overwrite=given.overwrite)
        count, what = len(taken), "documents"
    else:
        chosen = _choose_items(corpus, given)
        label_studio.write_questions(given.out, chosen, overwrite=given.overwrite)
        count, what = len(chosen), "items"
    result = {"out": str(given.out), "to": str(given.to), what: count}
    said = f"{count:,} {what} for {given.to} are in {given.out}."
    print_result(result, said, as_json=given.as_json, quiet=given.quiet)


def _write_sheet(corpus: Path, given: TaskOptions) -> Told:
    """Write the spreadsheet of event mentions or of masked examples; return what to print."""
    from corefmill.annotate import spreadsheets
    from corefmill.builders.corpus import annotate
    from corefmill.corpora import manifest

    if given.out.suffix.lower() in (".xlsx", ".xls", ".ods"):
        raise UsageError(
            "the spreadsheet must be a CSV file", path=given.out, remedy="name the file .csv"
        )
    if manifest.read(corpus).schema == "event-mention/1":
        mentions, raters = _choose_items(corpus, given), given.raters or EVENTS_RATERS
        make_way(given.out, overwrite=given.overwrite)
        count, rows = len(mentions), spreadsheets.write_mentions(given.out, mentions, raters=raters)
    else:
        found, raters = annotate.read_examples(corpus), given.raters or RATERS
        splits = _choose_splits(corpus, given.split, list(found))
        make_way(given.out, overwrite=given.overwrite)
        count, rows = spreadsheets.write_examples(
            given.out,
            [example for split in splits for example in found[split]],
            raters=raters,
            limit=given.limit,
            seed=given.seed,
        )
    result = {"out": str(given.out), "to": str(given.to), "items": count, "rows": rows}
    return result, f"{count:,} items for {raters} raters, {rows:,} rows, are in {given.out}."


def _choose_splits(corpus: Path, split: str | None, there: Sequence[str]) -> list[str]:
    """Return the split of a name, by default all; raise `UsageError` for an unknown one."""
    from corefmill.corpora.splits import NAMES

    if split is None:
        return list(there)
    wanted = NAMES.get(split, split)
    if wanted not in there:
        known = ", ".join(dict.fromkeys(there))
        raise UsageError(f"the corpus has no split {split!r}; there are {known}", path=corpus)
    return [wanted]


def _choose_items(corpus: Path, given: TaskOptions) -> list[AnnotationItem]:
    """Draw the items of the split, by default of all but the training split of events."""
    from corefmill.annotate import questions
    from corefmill.annotate.rounds import draw_items

    items = list(questions.read_items(corpus))
    there = list(dict.fromkeys(item.split for item in items))
    splits = _choose_splits(corpus, given.split, there)
    if given.split is None and any(item.kind == questions.EVENT for item in items):
        splits = [name for name in splits if name != "train"] or splits
    chosen = draw_items(items, seed=given.seed, splits=splits, limit=given.limit)
    if not chosen:
        raise DataError("the corpus holds no item to be judged", path=corpus)
    return chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOptions:
    """The annotation tool, the raters, and the number of them needed for a decision."""

    out: Annotated[
        Path, Option("--out", help="New corpus folder; a JSONL file if --from is not csv.")
    ]
    tool: Annotated[
        Tool,
        Option(
            "--from",
            help="Annotation tool that wrote FILE...: csv makes a corpus, label-studio a file of"
            " judgements, inception a file of documents with their clusters.",
            default="csv, which also reads `annotate serve` and JSON Lines",
        ),
    ] = Tool.csv
    rater: Annotated[
        str | None,
        Option(metavar="NAME", help="Read only this rater's answers, with --from.", default="all"),
    ] = None
    min_raters: Annotated[
        int | None,
        Option(
            min=1,
            help="Minimum number of raters who agree on an item, as in the published sets; for"
            " documents, who finished it.",
            default=f"{LEAST}, of events and documents {EVENTS_LEAST}",
        ),
    ] = None
    adjudicator: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Rater whose answers overrule all others; files of `annotate serve` name the"
            " adjudicator themselves.",
        ),
    ] = None
    overwrite: Overwrite = False
    as_json: Json = False
    quiet: Quiet = False


def import_(
    corpus: CORPUS,
    answers: Annotated[
        list[Path],
        Argument(
            metavar="FILE...",
            help="Files of answers: of `annotate serve`, CSV or JSON Lines; or files or folders of"
            " the tool named by --from.",
        ),
    ],
    given: AnswerOptions,
) -> None:
    """Make a corpus of the raters' answers: labels for the items on which enough raters agree.

    Event mentions: rejected ones leave dev and test, and mentions from the articles of dev and test
    leave train. Documents (`serve --chains`): each has the adjudicator's clusters, else those of
    more than half of its raters. Answers of models are left out. With --from the result is JSON
    Lines; a second call imports the judgements among them.

    Examples:
        corefmill annotate import out/knowref-en tasks.csv --out out/knowref-en-labelled
        corefmill annotate import out/knowref-en rater-*.csv --min-raters 3 --out out/labelled
        corefmill annotate import out/wec-en out/wec-en.answers.sqlite --out out/wec-en-validated
        corefmill annotate import litbank.conll litbank.conll.chains.sqlite --out out/litbank
        corefmill annotate import out/wec-en export.json --from label-studio --out judgements.jsonl
        corefmill annotate import litbank.jsonl zoe/ --from inception --out zoe.jsonl
    """
    read = _make_corpus if given.tool is Tool.csv else _read_tool
    result, said = read(corpus, answers, given)
    print_result(result, said, as_json=given.as_json, quiet=given.quiet)


def _read_tool(corpus: Path, answers: Sequence[Path], given: AnswerOptions) -> Told:
    """Write the judgements of Label Studio, or the documents of INCEpTION, as JSON Lines."""
    from corefmill.annotate import judgements, label_studio, questions

    tool = given.tool
    if given.min_raters is not None or given.adjudicator is not None:
        raise UsageError(
            "--min-raters and --adjudicator have no effect with --from, which only reads answers",
            remedy="leave them out, and give them when you import OUT",
        )
    make_way(given.out, overwrite=given.overwrite)
    paths: list[Path] = []
    for file in answers:
        disk.require_path(file)
        if not file.is_dir():
            paths.append(file)
        elif below := disk.list_below(file, (_ENDINGS[tool],)):
            paths += below
        else:
            raise DataError(f"the folder has no file *{_ENDINGS[tool]}", path=file)
    left_out: Counter[str] = Counter()
    if tool is Tool.inception:
        count, what = _read_chains(corpus, paths, given, left_out), "documents"
    else:
        items = {item.id: item for item in questions.read_items(corpus)}
        read = label_studio.read_questions
        found = [one for path in paths for one in read(path, items)]
        found = [one for one in found if given.rater in (None, one.rater)]
        _refuse_no_answers(found, answers[0], given.rater)
        count, what = judgements.write(given.out, found), "judgements"
    said = f"{count:,} {what} of {tool} are in {given.out}."
    if left_out:
        left = ", ".join(f"{kind} ({number:,})" for kind, number in sorted(left_out.items()))
        said += f" Not read: {left}."
    result = {"out": str(given.out), "from": str(tool), what: count}
    return {**result, "left_out": dict(sorted(left_out.items()))}, said


def _refuse_no_answers(answers: Sequence[object], path: Path, rater: str | None) -> None:
    if not answers:
        of = "" if rater is None else f" of {rater!r}"
        raise DataError(f"the files hold no answer{of}", path=path)


def _read_chains(
    corpus: Path, paths: Sequence[Path], given: AnswerOptions, left_out: Counter[str]
) -> int:
    """Write the documents with the chains of INCEpTION; return their number."""
    from corefmill.annotate import documents, webanno
    from corefmill.corpora.files import jsonl

    read: dict[int, tuple[Path, ReadChains]] = {}
    for path in paths:
        one = webanno.read_chains(path)
        if one is None or given.rater not in (None, one.rater):
            continue
        if one.number in read:
            before, other = read[one.number]
            whose = f"by {other.rater or before.name} and {one.rater or path.name}"
            raise DataError(
                f"document {one.number} is annotated twice, {whose}",
                path=path,
                remedy="--rater NAME reads the answers of one rater",
            )
        read[one.number] = path, one
        left_out += one.left_out
    _refuse_no_answers(list(read), paths[0], given.rater)
    made = {}
    for own in documents.read_documents(corpus):
        if own.number in read:
            path, one = read[own.number]
            made[own.number] = documents.apply_chains(own, one, path)
            # Only our label `parts` has a field in records; other labels of a rater are not read.
            labels = (mention.label for cluster in one.clusters for mention in cluster)
            if foreign := sum(bool(label) and not label.startswith("parts") for label in labels):
                left_out["labels of mentions"] += foreign
    if unknown := sorted(read.keys() - made.keys()):
        raise DataError(f"the corpus has no document number {unknown[0]}", path=read[unknown[0]][0])
    return jsonl.write(given.out, made.values())


def _make_corpus(corpus: Path, answers: Sequence[Path], given: AnswerOptions) -> Told:
    """Write a corpus of the answers: documents corrected, events validated, examples labelled."""
    from corefmill.annotate import judgements, results
    from corefmill.corpora import manifest

    if given.rater is not None:
        raise UsageError("--rater works only with --from label-studio or inception")
    # The card of the new corpus has the line that makes it again.
    words = ["import", *(disk.show_name(path.name) for path in (corpus, *answers))]
    words += ["--adjudicator", given.adjudicator] if given.adjudicator else []
    words += ["--min-raters", str(given.min_raters)] if given.min_raters else []
    command = shlex.join(["corefmill", "annotate", *words])
    if any(judgements.holds_corrections(path) for path in answers):
        if given.adjudicator is not None:
            raise UsageError(
                "--adjudicator has no effect with a file of `annotate serve`, which names its own"
            )
        made = results.correct(
            *(corpus, answers, given.out),
            least=given.min_raters or EVENTS_LEAST,
            overwrite=given.overwrite,
            command=command,
        )
        said = _describe_splits(made, f"The corrected corpus is in {given.out}", "documents")
    elif manifest.read(corpus).schema == "event-mention/1":
        made = results.validate(
            *(corpus, answers, given.out),
            answers=judgements.gather_answers(corpus, answers, adjudicator=given.adjudicator),
            least=given.min_raters or EVENTS_LEAST,
            overwrite=given.overwrite,
            command=command,
        )
        said = _describe_splits(made, f"The validated corpus is in {given.out}", "mentions")
    else:
        made, said = _label_examples(corpus, answers, given, command)
    return {"out": str(given.out), "splits": made.splits, "counts": made.counts}, said


def _describe_splits(manifest: Manifest, where: str, units: str) -> str:
    """Report the size of each split of a judged corpus, and the rejects by reason."""
    sizes = ", ".join(f"{split} {size:,}" for split, size in manifest.splits.items())
    left = [
        f"{split}: {reason} {count:,}"
        for split, counted in manifest.counts["rejected"].items()
        for reason, count in counted.items()
    ]
    return f"{where}: {sizes} {units}. Left out: {'; '.join(left) or '-'}."


def _label_examples(
    corpus: Path, answers: Sequence[Path], given: AnswerOptions, command: str
) -> tuple[Manifest, str]:
    """Write the corpus of labelled examples; return its manifest and the text to print."""
    from corefmill.annotate.judgements import gather_answers, read_votes
    from corefmill.builders.corpus import annotate
    from corefmill.builders.knowref.assemble import write_json
    from corefmill.corpora.formats import five_line, masked_conll

    found = gather_answers(corpus, answers, adjudicator=given.adjudicator)
    made = annotate.write_labelled(
        *(corpus, answers, given.out),
        votes=read_votes(found.raters),
        decided=read_votes(found.decided),
        said=found.facts(),
        least=given.min_raters or LEAST,
        overwrite=given.overwrite,
        forms={
            ".conll": masked_conll.write,
            ".txt": five_line.write,
            **({".json": write_json} if (corpus / "train.json").exists() else {}),
        },
        command=command,
    )
    counts = made.counts
    alpha = "-" if counts["alpha"] is None else f"{counts['alpha']:.3f}"
    left = ", ".join(f"{reason} {count:,}" for reason, count in counts["rejected"].items()) or "-"
    return made, (
        f"{sum(made.splits.values()):,} of {counts['items']:,} items have a label; they are in"
        f" {given.out}. Krippendorff's alpha {alpha}; without a label: {left}."
    )


def answers(
    db: Annotated[
        Path, Argument(metavar="DB", help="File of answers that `annotate serve` wrote.")
    ],
    out: Annotated[Path, Option("--out", help="File for the answers, JSON Lines.")],
    adjudicated: Annotated[
        bool, Option("--adjudicated", help="Include the adjudicator's decisions.")
    ] = False,
    overwrite: Overwrite = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write the raters' answers as JSON Lines, a judgement a line, without undone answers.

    The command may run while the pages are served.

    Examples:
        corefmill annotate answers out/wec-en.answers.sqlite --out answers.jsonl
        corefmill annotate answers out/wec-en.answers.sqlite --adjudicated --out all.jsonl --json
    """
    from corefmill.annotate import judgements
    from corefmill.annotate.store import ADJUDICATION, MAIN, JudgementStore

    make_way(out, overwrite=overwrite)
    stages = (MAIN, ADJUDICATION) if adjudicated else (MAIN,)
    with JudgementStore.open(db) as kept:
        count = judgements.write(out, judgements.read_stored(kept, *stages))
    result = {"out": str(out), "judgements": count}
    print_result(result, f"{count:,} judgements are in {out}.", as_json=as_json, quiet=quiet)
