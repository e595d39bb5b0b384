"""Put the raters' questions to a language model behind an endpoint.

1. A language model reads the guidelines that people read, then one item as JSON, cut at its marks:
   no text can look like a mark or end the data. What the corpus says is right is never sent.
2. An answer is a JSON object, at temperature 0. What an endpoint refuses by name is left out.
3. Nothing is guessed: `Yes` is not `yes`. A broken answer is counted by what is wrong with it.
4. Every reply is kept as it comes: a run that was stopped asks only for what is left.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from corefmill.annotate import questions
from corefmill.annotate.judgements import Judgement
from corefmill.annotate.options import EndpointOptions, QuestionOptions
from corefmill.annotate.questions import AnnotationItem, Question
from corefmill.builders.run.stages import make_random
from corefmill.builders.services.answers import AnswerFile, ask_in_threads
from corefmill.builders.services.service import (
    KEY_VARIABLE,
    NoUsableAnswer,
    RefusedText,
    Service,
    check_url,
    make_bearer_header,
    make_chat_url,
    parse_json_object,
    read_key,
    read_message,
)
from corefmill.corpora.files import disk
from corefmill.corpora.files.errors import UsageError
from corefmill.corpora.files.terminal import printable

LONGEST = 20_000
"""Characters of the longest text that is sent; a longer one would cost what a hundred others do."""
_SKIP = "skip"
_NOT_KEPT = ("time_out", "server_error", "refused")  # faults of the endpoint: asked again
_BROKEN_IN_A_ROW = 10  # by which a model is taken to be unfit
_OPTIONAL = ("seed", "temperature", "response_format")  # left out where refused by name

ItemQuestion = tuple[AnnotationItem, Question]


@dataclass(slots=True)
class RaterOutcome:
    """A model's votes, in the order of the corpus, and counts of the other questions.

    `without_vote` has item and question name by the kind of fault. `asked` counts the questions of
    this run, `tokens_in` and `tokens_out` the tokens that their answers state.
    """

    rater: str
    questions: int
    facts: dict[str, Any]
    votes: list[Judgement] = field(default_factory=list)
    asked: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    without_vote: defaultdict[str, list[tuple[str, str]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def counts(self) -> dict[str, Any]:
        """Count the questions by outcome, and the tokens of the answers."""
        return {
            "questions": self.questions,
            "asked": self.asked,
            "answered": len(self.votes),
            "skipped": sum(not vote.answer for vote in self.votes),
            "broken": {kind: len(found) for kind, found in sorted(self.without_vote.items())},
            "tokens": {"in": self.tokens_in, "out": self.tokens_out},
        }


def choose_questions(
    corpus: Iterable[AnnotationItem], given: QuestionOptions
) -> list[ItemQuestion]:
    """List pairs of item and question, at most `limit` items, drawn by the seed and their ids.

    The split restricts the items, and the names the questions; both before the draw. Raises
    `UsageError` where nothing is left.
    """
    every = [
        (item, one) for item in corpus for one in questions.load_questions()[item.kind].questions
    ]
    known = dict.fromkeys(question.name for _, question in every)
    named = given.question or ()
    for name in named:
        if name not in known:
            raise UsageError(
                f"no question {name!r} is asked about this corpus",
                remedy=f"the questions are {', '.join(known) or 'none'}",
            )
    found = [
        (item, question)
        for item, question in every
        if given.split in (None, item.split) and (not named or question.name in named)
    ]
    if not found:
        raise UsageError(
            "the corpus holds no item to ask about in this split", remedy="name another --split"
        )
    # Each item has a ticket by its id: the draw does not depend on the questions or their order.
    tickets = {item.id: make_random(given.seed, "drawn", item.id).random() for item, _ in found}
    taken = set(sorted(tickets, key=tickets.__getitem__)[: given.limit])
    return [(item, question) for item, question in found if item.id in taken]


@dataclass(frozen=True, slots=True)
class RaterPrompt:
    """One question about one item: the two messages, and the possible answers.

    `answers` maps the model's possible words to answers; with the answer `answers_with` it may
    give one of the `reasons`.
    """

    system: str
    user: str
    answers: Mapping[str, str]
    reasons: tuple[str, ...]
    answers_with: str

    def read(self, content: str) -> tuple[str, str]:
        """Read answer and reason from a reply; raise `NoUsableAnswer` for any other words."""
        made = parse_json_object(content, "answer")
        said, reason = made["answer"], made.get("reason", "")
        if not isinstance(said, str) or said not in self.answers:
            raise NoUsableAnswer("the model's answer is not one offered", "outside_the_answers")
        if not self.reasons or reason == "":
            return self.answers[said], ""
        if reason not in self.reasons:
            raise NoUsableAnswer("the model's reason is not one offered", "no_such_reason")
        if self.answers[said] != self.answers_with:
            raise NoUsableAnswer("the model's reason is for another answer", "contradiction")
        return self.answers[said], reason


def make_prompt(item: AnnotationItem, question: Question) -> RaterPrompt:
    """Make the prompt for a question about an item, with candidates numbered in a drawn order."""
    words = disk.read_package_table(__file__, "ask")
    # The answers of people, and a way to skip; candidates are numbered, so that no name of a
    # candidate can be taken for an answer.
    answers = [(one.name, one.label) for one in question.answers] + [(_SKIP, words["skip"])]
    options = list(item.options) if question.options else []
    make_random(0, "options", item.id).shuffle(options)
    numbered = {str(number): option for number, option in enumerate(options, 1)}
    # The text stands in pieces, its marks are keys of JSON: no text can look like one.
    cut = [{style: text} if style else text for style, text in questions.cut_at_marks(item)]
    shown: dict[str, Any] = {"text": cut if item.marks else item.text}
    if numbered:
        shown["options"] = numbered
    if item.facts:
        shown["about"] = dict(item.facts)
    why, form = "", '{"answer": "..."}'
    if question.reasons:
        listed = "\n".join(f'- `"{one.name}"`: {one.label}' for one in question.reasons)
        why = words["reasons"].format(answer=question.answers_with, reasons=listed)
        form = '{"answer": "...", "reason": "..."}'
    lines = [f'- `"{name}"`: {label}' for name, label in answers]
    system: str = words["system"].format(
        guidelines=questions.load_questions()[item.kind].guidelines,
        ask=question.ask,
        answers="\n".join([words["options"]] * question.options + lines),
        reasons=why,
        form=form,
    )
    return RaterPrompt(
        system.strip(),
        # Marks that turn the direction of writing, and the like, are seen as what they are.
        printable(json.dumps(shown, ensure_ascii=False)),
        numbered | {name: "" if name == _SKIP else name for name, _ in answers},
        tuple(one.name for one in question.reasons),
        question.answers_with,
    )


@dataclass(frozen=True, slots=True)
class _Reply:
    """A stored reply: answer and reason, or in `broken` the kind of its fault."""

    answer: str = ""
    reason: str = ""
    broken: str = ""
    when: str = ""
    seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0


class EndpointRater:
    """Sends prompts and keeps replies in a folder; may be used by several threads at once."""

    def __init__(
        self, settings: EndpointOptions, folder: Path, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        base = check_url(settings.endpoint, "--endpoint")
        if not settings.model.strip() or not settings.model.isprintable():
            raise UsageError(
                "--model is empty or not printable", remedy="name a model of the endpoint"
            )
        self._settings = settings
        self.url = make_chat_url(base)
        self.name = f"model {settings.model} at {urlsplit(base).netloc}"
        key = read_key(settings.key_variable or KEY_VARIABLE)
        self._service = Service(
            url=self.url,
            option="--endpoint",
            headers=make_bearer_header(key),
            key=key,
            timeout=settings.timeout,
            sleep=sleep,
        )
        holds = {"holds": "replies of models", "made": "paid for"}
        path = folder / "replies.sqlite3"
        self._file = AnswerFile(path, "replies", ("digest", "reply"), **holds)
        self._file.check()
        self._lock = threading.Lock()  # of the file
        self._limit = "max_tokens"
        self.left_out: tuple[str, ...] = ()  # what the endpoint refused by name

    def reply(self, prompt: RaterPrompt) -> tuple[_Reply, bool]:
        """Return the stored reply to a prompt, or ask for a new one; say whether it is new.

        A new reply is stored before the return. Raises `UsageError` as the service does.
        """
        decides = [self.url, self._settings.model, self._settings.answer_tokens]
        text = json.dumps([*decides, prompt.system, prompt.user])
        digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        with self._lock, self._file.explain_errors():
            row = self._file.open().execute("SELECT reply FROM replies WHERE digest = ?", [digest])
            if (kept := row.fetchone()) is not None:
                return _Reply(**json.loads(kept[0])), False
        begun = time.monotonic()
        answer = reason = broken = ""
        said: Any = None
        try:
            said = self._post(prompt)
            answer, reason = prompt.read(read_message(said))
        except NoUsableAnswer as unusable:
            broken = unusable.kind
        when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        seconds = round(time.monotonic() - begun, 3)
        usage = said.get("usage") if isinstance(said, dict) else None
        stated = usage if isinstance(usage, dict) else {}
        tokens = [stated.get(name) for name in ("prompt_tokens", "completion_tokens")]
        counted = (one if type(one) is int and one >= 0 else 0 for one in tokens)
        made = _Reply(answer, reason, broken, when, seconds, *counted)
        if broken not in _NOT_KEPT:
            kept = (digest, json.dumps(asdict(made)))
            with self._lock, self._file.explain_errors(), self._file.open() as base:
                base.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", kept)
        return made, True

    def _post(self, prompt: RaterPrompt) -> Any:
        """Post a prompt to the endpoint, and again without each parameter refused by name."""
        chat = (("system", prompt.system), ("user", prompt.user))
        while True:
            body: dict[str, Any] = {
                "model": self._settings.model,
                "messages": [{"role": role, "content": content} for role, content in chat],
                "temperature": 0,
                "seed": 0,
                "response_format": {"type": "json_object"},
                self._limit: self._settings.answer_tokens,
            }
            body = {name: value for name, value in body.items() if name not in self.left_out}
            try:
                return self._service.post(body)
            except RefusedText as refused:
                why = refused.body.lower()
                named = [name for name in _OPTIONAL if name in body and name in why]
                if refused.kind != "refused":
                    raise
                if "max_tokens" in body and "max_completion_tokens" in why:
                    self._limit = "max_completion_tokens"
                elif named:
                    self.left_out = tuple(dict.fromkeys((*self.left_out, *named)))
                else:
                    raise


def ask_endpoint(
    asked: Sequence[ItemQuestion],
    settings: EndpointOptions,
    folder: Path,
    *,
    watch: Callable[[Iterable[Any]], Iterable[Any]] = iter,
    sleep: Callable[[float], None] = time.sleep,
) -> RaterOutcome:
    """Ask a language model all questions, and gather its votes; stored replies are not asked for.

    Raises `UsageError` for an unusable endpoint, and after many broken answers in a row.
    """
    rater = EndpointRater(settings, folder, sleep)
    facts = {
        "endpoint": rater.url,
        "model": settings.model,
        "settings": {"temperature": 0, "seed": 0, "answer_tokens": settings.answer_tokens},
        "prompts": {
            f"{item.kind}/{question.name}": make_prompt(item, question).system
            for item, question in asked
        },
    }
    made = RaterOutcome(rater.name, len(asked), facts)

    def judge(number: int) -> tuple[_Reply, bool]:
        item, question = asked[number]
        if len(item.text) > LONGEST:
            return _Reply(broken="text_too_long"), False
        return rater.reply(make_prompt(item, question))

    replies: dict[int, _Reply] = {}
    broken = 0
    for number, (reply, fresh) in watch(ask_in_threads(range(len(asked)), judge, settings.workers)):
        replies[number] = reply
        if fresh:
            made.asked += 1
            made.tokens_in += reply.tokens_in
            made.tokens_out += reply.tokens_out
            broken = broken + 1 if reply.broken else 0
        if broken == _BROKEN_IN_A_ROW:
            raise UsageError(
                f"{rater.name} gave no usable answer {broken} times in a row: {reply.broken}",
                remedy="raise --answer-tokens, or take a model that follows the prompt; replies"
                " so far are kept",
            )
    for number, (item, question) in enumerate(asked):
        reply = replies[number]
        if reply.broken:
            made.without_vote[reply.broken].append((item.id, question.name))
            continue
        vote = Judgement(
            item=item.id,
            rater=rater.name,
            person=False,
            question=question.name,
            answer=reply.answer,
            reason=reply.reason,
            when=reply.when,
            seconds=reply.seconds,
        )
        made.votes.append(vote)
    facts["refused_by_endpoint"] = list(rater.left_out)
    return made
