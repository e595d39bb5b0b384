"""The recipe of it_mini: trains both halves, scores them, writes the folder with its card."""

import json
import shutil
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from thinc.api import NumpyOps, get_current_ops, set_current_ops
from threadpoolctl import threadpool_limits

from models.training import italian, save, score, sources
from models.training.loop import Say

NARRATIVE = Path(__file__).parents[2] / "tests" / "models" / "narrative_it.txt"
ABLATION = Path(__file__).with_name("it_mini_ablation.md")
META = {
    "multiword_tokens": True,  # pieces that touch are one written token
    "name": "mini",
    "version": "0.1.0",
    "description": "Small Italian pipeline of corefmill: names, features, lemmas, trees.",
    "license": "CC BY-NC-SA 4.0",
}
TREE_MEASURES = ("words", "UPOS", "UFeats", "lemmas", "UAS", "LAS")


def fast_products() -> None:
    """Matrix products by numpy's BLAS on one thread, which is faster here than spaCy's own."""
    threadpool_limits(1, user_api="blas")
    if isinstance(get_current_ops(), NumpyOps):
        set_current_ops(NumpyOps(use_blis=False))


def names_half(data: Path, epochs: int, seed: int, say: Say) -> dict[str, bytes]:
    """Runs in a process of its own."""
    fast_products()
    return italian.train_names(data, epochs, seed, say)


def syntax_half(data: Path, epochs: int, seed: int, say: Say) -> dict[str, bytes]:
    """Runs in a process of its own."""
    fast_products()
    return italian.train_syntax(data, epochs, seed, say)


def build(
    data: Path,
    out: Path,
    seed: int,
    epochs: int,
    tree_epochs: int,
    jobs: int,
    command: str,
    say: Say,
) -> None:
    """Data to finished folder; with two jobs the halves are trained side by side."""
    began = time.perf_counter()
    italian.check(data)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        halves = (
            pool.submit(names_half, data, epochs, seed, say),
            pool.submit(syntax_half, data, tree_epochs, seed, say),
        )
        weights = [half.result() for half in halves]
    finish(weights, data, out, seed, began, command, say)


def finish(
    weights: list[dict[str, bytes]],
    data: Path,
    out: Path,
    seed: int,
    began: float,
    command: str,
    say: Say,
) -> None:
    """Puts the weights into a pipeline, scores it and writes it."""
    fast_products()
    nlp = italian.blank(data)
    for half in weights:
        italian.put(nlp, half)
    say(f"training took {time.perf_counter() - began:.0f} s; scoring")
    report = save.Report()
    held_out = italian.name_data(data, seed).held_out
    if NARRATIVE.exists():
        held_out = {"narrative, own sentences": list(sources.marked(NARRATIVE)), **held_out}
    for source, samples in held_out.items():
        counts = score.span_counts(nlp, samples, italian.LABELS)
        total = [sum(each) for each in zip(*counts.values(), strict=True)]
        report.names[source] = {**counts, "all": (total[0], total[1], total[2])}
    wiki = next(samples for source, samples in held_out.items() if source.startswith("Wiki"))
    report.wiki_sentences = score.sentence_f1(nlp, wiki)
    found = italian.held_out_trees(data)
    tallies = {
        "sentences given": italian.tree_tally(nlp, found, 1),
        "raw text": italian.tree_tally(nlp, found, 8),
    }
    report.tree_sentences = len(found)
    texts = [sample.text for sample in wiki]
    report.hot_speed = score.speed(nlp, texts, italian.HOT)
    report.full_speed = score.speed(nlp, texts, italian.HOT + italian.SYNTAX)
    report.seconds = time.perf_counter() - began
    report.command = command
    report.trees = tallies["raw text"].f1()
    write(nlp, out, report, tree_table(tallies))
    say(tree_table(tallies))
    say(save.name_table(report.names))
    size = save.megabytes(out)
    say(f"{out}: {size:.1f} MB, {report.hot_speed:.0f} and {report.full_speed:.0f} tokens/s")


def tree_table(tallies: dict[str, Any]) -> str:
    """Markdown: a row per measure with n, the words (or cases) of the gold standard."""
    first = next(iter(tallies.values()))
    rows = [f"| measure | {' | '.join(tallies)} | n |", f"|---|{'---|' * len(tallies)}---|"]
    for measure in (*TREE_MEASURES, *(m for m in first.gold if m not in TREE_MEASURES)):
        values = " | ".join(f"{100 * tally.f1()[measure]:.1f}" for tally in tallies.values())
        rows.append(f"| {measure} | {values} | {first.gold[measure]} |")
    return "\n".join(rows)


def write(nlp: Language, out: Path, report: save.Report, trees: str) -> None:
    """The pipeline and its card under `out`, which is replaced; strings of texts are left out."""
    part = out.with_name(out.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    nlp.meta.update(META)
    nlp.meta["performance"] = {
        "names_f1": {
            source: {label: round(score.f1(*c), 4) for label, c in labels.items() if c[2]}
            for source, labels in report.names.items()
        },
        "isdt_dev": {measure: round(value, 4) for measure, value in report.trees.items()},
    }
    nlp.to_disk(part)
    strings = set(spacy.blank("it").vocab.strings) | set(italian.lemma_strings(nlp))
    for labels in nlp.pipe_labels.values():
        strings |= {label for label in labels if isinstance(label, str)}
    listed = json.dumps(sorted(strings), ensure_ascii=False)
    (part / "vocab" / "strings.json").write_text(listed, encoding="utf-8")
    template = Path(__file__).with_name("it_mini_card.md").read_text(encoding="utf-8")
    card = template.format(
        names=save.name_table(report.names),
        trees=trees,
        tree_sentences=report.tree_sentences,
        wiki_sentences=report.wiki_sentences,
        hot_speed=round(report.hot_speed, -3),
        full_speed=round(report.full_speed, -3),
        size=save.megabytes(part),
        minutes=report.seconds / 60,
        command=report.command,
        ablation=ABLATION.read_text(encoding="utf-8").strip(),
    )
    (part / "README.md").write_text(card, encoding="utf-8")
    shutil.copyfile(Path(__file__).with_name("it_mini_licence.txt"), part / "LICENCE.txt")
    shutil.rmtree(out, ignore_errors=True)
    part.rename(out)
