"""`corefmill annotate`: tasks for annotation tools, and corpora made of raters' answers."""

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
    from corefmill.corpora.manifest import Manifest

LEAST = 4
"""KnowRef-60K's test set holds what 4 or 5 raters agree on (spec C2)."""
EVENTS_LEAST = 1
"""WEC's dev and test were validated by one reader, a part by a second (WEC, section 3.3)."""


class Tool(StrEnum):
    """An annotation tool: one of questions, one of documents with their chains."""

    label_studio = "label-studio"
    inception = "inception"


_ENDINGS = {Tool.label_studio: ".json", Tool.inception: ".tsv"}

CORPUS = Annotated[
    Path,
    Argument(metavar="CORPUS", help="Corpus of masked examples, event mentions or documents."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskOptions:
    """The annotation tool, and the items."""

    out: Annotated[Path, Option("--out", help="Folder of the tasks.")]
    to: Annotated[
        Tool,
        Option(
            "--to",
            help="label-studio asks questions, inception corrects chains.",
            default="label-studio",
        ),
    ] = Tool.label_studio
    split: Annotated[
        str | None,
        Option(help="Only this split.", default="all, of event mentions not train"),
    ] = None
    limit: Annotated[
        int | None, Option(min=1, help="At most this many items, drawn at random.")
    ] = None
    seed: Annotated[int, seed_option("Seed of the draw.")] = 0
    overwrite: Overwrite = False
    as_json: Json = False
    quiet: Quiet = False


def export(corpus: CORPUS, given: TaskOptions) -> None:
    """Write the tasks of an annotation tool.

    Label Studio asks the questions of `annotate serve`; INCEpTION shows documents with their
    chains, in WebAnno TSV.

    Examples:
        corefmill annotate export out/knowref-en --out label-studio
        corefmill annotate export out/wec-en --split test --limit 200 --out label-studio
        corefmill annotate export litbank.jsonl --to inception --out inception
    """
    from corefmill.annotate import documents, label_studio, questions, webanno
    from corefmill.annotate.rounds import draw_items
    from corefmill.builders.run.stages import seeded
    from corefmill.corpora.splits import NAMES

    def choose_splits(there: Sequence[str]) -> list[str]:
        if given.split is None:
            return list(there)
        wanted = NAMES.get(given.split, given.split)
        if wanted not in there:
            known = ", ".join(dict.fromkeys(there))
            raise UsageError(f"no split {given.split!r}; there are {known}", path=corpus)
        return [wanted]

    if given.to is Tool.inception:
        texts = list(documents.read_documents(corpus))
        splits = choose_splits([one.split for one in texts])
        # The number of a document decides about the draw, so that a larger limit only adds some.
        order = sorted(
            (one for one in texts if one.split in splits),
            key=lambda one: seeded(given.seed, "drawn", one.number).random(),
        )
        taken = sorted(order[: given.limit], key=lambda one: one.number)
        webanno.write_chains(given.out, taken, overwrite=given.overwrite)
        count, what = len(taken), "documents"
    else:
        items = list(questions.items(corpus))
        splits = choose_splits(list(dict.fromkeys(item.split for item in items)))
        if given.split is None and any(item.kind == questions.EVENT for item in items):
            splits = [name for name in splits if name != "train"] or splits
        chosen = draw_items(items, seed=given.seed, splits=splits, limit=given.limit)
        if not chosen:
            raise DataError("there is nothing in it to be judged", path=corpus)
        label_studio.write_questions(given.out, chosen, overwrite=given.overwrite)
        count, what = len(chosen), "items"
    result = {"out": str(given.out), "to": str(given.to), what: count}
    said = f"{count:,} {what} for {given.to} are in {given.out}."
    print_result(result, said, as_json=given.as_json, quiet=given.quiet)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOptions:
    """The annotation tool, the raters, and the number of them needed for a decision."""

    out: Annotated[Path, Option("--out", help="Directory of the new corpus.")]
    tool: Annotated[
        Tool | None,
        Option(
            "--from",
            help="The annotation tool that wrote the files. OUT is then a file of JSON Lines: of"
            " judgements, or of documents with the chains that were read.",
            default="none: answers of `annotate serve`, or JSON Lines",
        ),
    ] = None
    rater: Annotated[
        str | None,
        Option(metavar="NAME", help="With --from, only this rater.", default="all of them"),
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
    corpus: CORPUS,
    answers: Annotated[
        list[Path],
        Argument(
            metavar="FILE...",
            help="Answers: of `annotate serve`, or JSON Lines. With --from, files or folders.",
        ),
    ],
    given: AnswerOptions,
) -> None:
    """Read the answers: items on which enough raters agree become a corpus with labels.

    Event mentions: rejected ones leave dev and test, and mentions from the articles of dev and test
    leave train. Documents (`serve --chains`): each has the adjudicator's clusters, else those of
    more than half of its raters. Answers of models are left out. With --from the result is JSON
    Lines; judgements among them are imported by a second call.

    Examples:
        corefmill annotate import out/wec-en out/wec-en.answers.sqlite --out out/wec-en-validated
        corefmill annotate import out/knowref-en rater-*.jsonl --min-raters 3 --out out/labelled
        corefmill annotate import litbank.conll litbank.conll.chains.sqlite --out out/litbank
        corefmill annotate import out/wec-en export.json --from label-studio --out judgements.jsonl
        corefmill annotate import litbank.jsonl zoe/ --from inception --out zoe.jsonl
    """
    read = _make_corpus if given.tool is None else _read_tool
    result, said = read(corpus, answers, given)
    print_result(result, said, as_json=given.as_json, quiet=given.quiet)


def _read_tool(corpus: Path, answers: Sequence[Path], given: AnswerOptions) -> Told:
    """Write the judgements of Label Studio, or the documents of INCEpTION, as JSON Lines."""
    from corefmill.annotate import judgements, label_studio, questions

    tool = given.tool
    assert tool is not None
    if given.min_raters is not None or given.adjudicator is not None:
        raise UsageError("--min-raters and --adjudicator decide on labels, and --from makes none")
    make_way(given.out, overwrite=given.overwrite)
    paths: list[Path] = []
    for file in answers:
        disk.require_path(file)
        if not file.is_dir():
            paths.append(file)
        elif below := disk.list_below(file, (_ENDINGS[tool],)):
            paths += below
        else:
            raise DataError(f"no file *{_ENDINGS[tool]} here", path=file)
    left_out: Counter[str] = Counter()
    if tool is Tool.inception:
        count, what = _read_chains(corpus, paths, given, left_out), "documents"
    else:
        items = {item.id: item for item in questions.items(corpus)}
        read = label_studio.read_questions
        found = [one for path in paths for one in read(path, items)]
        found = [one for one in found if given.rater in (None, one.rater)]
        _refuse_none(found, answers[0], given.rater)
        count, what = judgements.write(given.out, found), "judgements"
    said = f"{count:,} {what} of {tool} are in {given.out}."
    if left_out:
        left = ", ".join(f"{kind} ({number:,})" for kind, number in sorted(left_out.items()))
        said += f" Not read: {left}."
    result = {"out": str(given.out), "from": str(tool), what: count}
    return {**result, "left_out": dict(sorted(left_out.items()))}, said


def _refuse_none(found: Sequence[object], path: Path, rater: str | None) -> None:
    if not found:
        of = "" if rater is None else f" of {rater!r}"
        raise DataError(f"there is no answer{of} in it", path=path)


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
                f"document {one.number} comes twice, {whose}",
                path=path,
                remedy="--rater NAME takes the answers of one",
            )
        read[one.number] = path, one
        left_out += one.left_out
    _refuse_none(list(read), paths[0], given.rater)
    made = {}
    for own in documents.read_documents(corpus):
        if own.number in read:
            path, one = read[own.number]
            made[own.number] = documents.apply_chains(own, one, path)
            # The label `parts` is ours: what else a rater wrote there has no place in a record.
            labels = (mention.label for cluster in one.clusters for mention in cluster)
            if foreign := sum(bool(label) and not label.startswith("parts") for label in labels):
                left_out["labels of mentions"] += foreign
    if unknown := sorted(read.keys() - made.keys()):
        raise DataError(f"no document {unknown[0]} in the corpus", path=read[unknown[0]][0])
    return jsonl.write(given.out, made.values())


def _make_corpus(corpus: Path, answers: Sequence[Path], given: AnswerOptions) -> Told:
    """Write a corpus of the answers: documents corrected, events validated, examples labelled."""
    from corefmill.annotate import judgements, results
    from corefmill.corpora import manifest

    if given.rater is not None:
        raise UsageError("--rater needs --from")
    # The card of the new corpus has the line that makes it again.
    words = ["import", *(disk.show_name(path.name) for path in (corpus, *answers))]
    words += ["--adjudicator", given.adjudicator] if given.adjudicator else []
    words += ["--min-raters", str(given.min_raters)] if given.min_raters else []
    command = shlex.join(["corefmill", "annotate", *words])
    if any(judgements.holds_corrections(path) for path in answers):
        if given.adjudicator is not None:
            raise UsageError("--adjudicator is for JSON Lines: the pages record who adjudicates")
        made = results.correct(
            *(corpus, answers, given.out),
            least=given.min_raters or EVENTS_LEAST,
            overwrite=given.overwrite,
            command=command,
        )
        said = _describe(made, f"The corrected corpus is in {given.out}", "documents")
    elif manifest.read(corpus).schema == "event-mention/1":
        made = results.validate(
            *(corpus, answers, given.out),
            answers=judgements.gather_answers(corpus, answers, adjudicator=given.adjudicator),
            least=given.min_raters or EVENTS_LEAST,
            overwrite=given.overwrite,
            command=command,
        )
        said = _describe(made, f"The validated corpus is in {given.out}", "mentions")
    else:
        made, said = _label_examples(corpus, answers, given, command)
    return {"out": str(given.out), "splits": made.splits, "counts": made.counts}, said


def _describe(made: Manifest, where: str, units: str) -> str:
    """Report the size of each split of a judged corpus, and the rejects by reason."""
    sizes = ", ".join(f"{split} {size:,}" for split, size in made.splits.items())
    left = [
        f"{split}: {reason} {count:,}"
        for split, counted in made.counts["rejected"].items()
        for reason, count in counted.items()
    ]
    return f"{where}: {sizes} {units}. Left out: {'; '.join(left) or '-'}."


def _label_examples(
    corpus: Path, answers: Sequence[Path], given: AnswerOptions, command: str
) -> tuple[Manifest, str]:
    """Write the labelled corpus; return its manifest and the report."""
    from corefmill.annotate.judgements import gather_answers, read_votes
    from corefmill.builders.corpus import annotate
    from corefmill.builders.knowref.assemble import write_json
    from corefmill.corpora.formats import five_line, masked_conll

    found = gather_answers(corpus, answers, adjudicator=given.adjudicator)
    made = annotate.label(
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
    db: Annotated[Path, Argument(metavar="DB", help="File of `annotate serve`.")],
    out: Annotated[Path, Option("--out", help="The answers, JSON Lines.")],
    adjudicated: Annotated[
        bool, Option("--adjudicated", help="With the adjudicator's decisions.")
    ] = False,
    overwrite: Overwrite = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write raters' answers: a judgement a line, without undone answers.

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
