"""The training loop, the same for every task."""

from __future__ import annotations

import logging
import math
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from corefmill.coref_model.training.config import LoopSettings
from corefmill.coref_model.training.log import LOG, Log
from corefmill.coref_model.training.processes import Processes
from corefmill.coref_model.training.resume import Resume, TrainingProgress
from corefmill.coref_model.training.task import Task
from corefmill.coref_model.training.trained_model import figure
from corefmill.corpora.errors import UsageError
from corefmill.corpora.progress import progress_bar

_log = logging.getLogger(__name__)

_WAITING = 16
"""Steps whose loss is read together, since a GPU idles while it is read."""

_LOWER = "lower the learning rates: --set lr=..., --set lr_encoder=..."


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """What came of it: steps done, the best evaluation and the step after which it was.

    `why` is what ended the training: epochs, max_steps or patience. `seconds` counts those of
    earlier runs that this one went on with. `untrained` is the metric before the first step, None
    where it was no number.
    """

    steps: int
    best_step: int
    score: float
    scores: dict[str, float]
    why: str
    seconds: float
    untrained: float | None


def train(
    task: Task[Any],
    settings: LoopSettings,
    out: Path,
    *,
    identity: Mapping[str, Any] | None = None,
    quiet: bool = False,
) -> TrainingResult:
    """Trains; the model then has the parameters of the best evaluation.

    Writes `out/log.csv` and, until `checkpoint.save` is done with it, `out/resume`: called again
    with the same `identity` (which says all that decides the result besides the settings) it goes
    on where it was. Raises `UsageError` where another training is there, where there is nothing to
    train on, and where the loss is no number any more.
    """
    return _Loop(task, settings, out, dict(identity or {}), quiet).run()


def seed_all(*seeds: int) -> None:
    """Seeds torch, numpy and random with a mix of the seeds."""
    torch_seed, other = np.random.SeedSequence(seeds).generate_state(2, np.uint64)
    torch.manual_seed(int(torch_seed))
    np.random.seed(int(other) % 2**32)
    random.seed(int(other))


def rate_factor(progress: float, warmup: float) -> float:
    """What the highest learning rate is multiplied by: up in a line, then down in one to 0.

    `progress` in (0, 1) is the share of the training that is over, at the middle of a step, so
    that neither the first nor the last step is done at a rate of 0; `warmup` the share in which
    the rate goes up.
    """
    if progress < warmup:
        return progress / warmup
    return (1 - progress) / (1 - warmup) if warmup < 1 else 1.0


@dataclass(slots=True)
class _Done:
    """A step that is not logged yet; `sums` [2] and `norm` [] are still on the device."""

    step: int
    epoch: int
    sums: Tensor
    norm: Tensor
    rates: list[float]
    dev: float | None = None


class _Loop:
    def __init__(
        self,
        task: Task[Any],
        settings: LoopSettings,
        out: Path,
        identity: dict[str, Any],
        quiet: bool,
    ) -> None:
        self.processes = Processes()
        self.task, self.settings, self.out, self.quiet = task, settings, out, quiet
        self.model = task.model.to(self.processes.device)
        self.groups = task.groups()
        self.parameters: list[nn.Parameter] = [p for g in self.groups for p in g.parameters]
        self.optimizer = torch.optim.AdamW(
            [
                {"params": list(g.parameters), "lr": g.lr, "weight_decay": g.weight_decay}
                for g in self.groups
            ],
            fused=self.processes.device.type in ("cpu", "cuda"),
        )
        decides = {key: value for key, value in vars(settings).items() if key != "save_every"}
        self.resume = Resume(
            out, decides | identity | {"task": task.name, "processes": self.processes.count}
        )
        self.progress = TrainingProgress()
        self.waiting: list[_Done] = []

    def run(self) -> TrainingResult:
        known = self.resume.check()
        if self.processes.first and not known:
            self.resume.begin()
        self.processes.agreed(None)  # none goes on before the folder is there
        self.progress = self.resume.load(self.model, self.optimizer)
        self.began = time.monotonic() - self.progress.seconds
        log = None
        if self.processes.first:
            names = [group.name for group in self.groups]
            log = Log(self.out / LOG, names, self.progress.step)
        try:
            if not self.progress.over:
                self._train(log)
        finally:
            if log:
                log.close()
        self.processes.agreed(None)
        self.resume.load_best(self.model)
        done = self.progress
        assert done.best is not None
        return TrainingResult(
            done.step,
            done.best_step,
            done.best,
            done.scores,
            done.over,
            done.seconds,
            done.untrained,
        )

    def _train(self, log: Log | None) -> None:
        progress, settings = self.progress, self.settings
        if not progress.step:
            self._before()
        bar = progress_bar(
            initial=progress.step,
            unit=" steps",
            desc=f"Training, {settings.epochs} epochs",
            hidden=self.quiet or not self.processes.first,
        )
        while not progress.over:
            batches = self.task.batches(progress.epoch, settings.seed)
            if not batches:
                raise UsageError("the training split has no example that can be learnt from")
            bar.total = self._steps(batches)
            epoch = progress.epoch
            while progress.epoch == epoch and not progress.over:
                self._one_step(batches, log, bar)
        bar.close()

    def _before(self) -> None:
        """Takes the metric of the model as it is, which training has to beat, and prints it."""
        scores = self._scores()
        score = float(scores[self.task.metric])
        self.progress.untrained = score if math.isfinite(score) else None
        if self.processes.first and not self.quiet:
            said = figure(scores, self.task.metric)
            print(f"Untrained: {self.task.metric} {said} on the development split.", flush=True)

    def _scores(self) -> dict[str, float]:
        self.model.eval()
        with torch.no_grad(), self.processes.autocast(self.settings.precision):
            scores: dict[str, float] = self.processes.agreed(self.task.evaluate())
        return scores

    def _one_step(self, batches: Sequence[Any], log: Log | None, bar: tqdm[Any]) -> None:
        """A step, and what is due after it: an evaluation, lines of the log, the state on disk."""
        progress, settings = self.progress, self.settings
        epoch = progress.epoch
        width = settings.accumulate * self.processes.count
        mine = batches[progress.batches : progress.batches + width]
        rates = self._set_rates(len(batches), len(mine))
        sums, norm = self._learn(mine[self.processes.rank :: self.processes.count])
        progress.step += 1
        progress.batches += len(mine)
        ended = progress.batches >= len(batches)
        if ended and epoch + 1 == settings.epochs:
            progress.over = "epochs"
        elif progress.step == settings.max_steps:
            progress.over = "max_steps"
        every = settings.evaluate_every
        due = bool(progress.over) or (progress.step % every == 0 if every else ended)
        done = _Done(progress.step, epoch, sums, norm, rates)
        self.waiting.append(done)
        if due:
            self._check()
            done.dev = self._evaluate()
            _log.info("step %d, epoch %d: %s %s", done.step, epoch, self.task.metric, done.dev)
        if ended:
            progress.epoch, progress.batches = epoch + 1, 0
        save = due or progress.step % settings.save_every == 0
        if save or len(self.waiting) == _WAITING:
            self._write(log, bar)
        if save and log:
            progress.seconds = time.monotonic() - self.began
            log.sync()
            self.resume.save(progress, self.model, self.optimizer)
        bar.update()

    def _learn(self, batches: Sequence[Any]) -> tuple[Tensor, Tensor]:
        """Takes one step: the sum of its losses and the number of its items, [2]; the norm, []."""
        progress, settings, device = self.progress, self.settings, self.processes.device
        seed_all(settings.seed, progress.step, self.processes.rank)
        self.model.train()
        self.optimizer.zero_grad(set_to_none=True)
        sums = torch.zeros(2, device=device)
        for batch in batches:
            with self.processes.autocast(settings.precision):
                loss, count = self.task.loss(batch)
            if count:
                loss.backward()
                sums[0] += loss.detach()
                sums[1] += count
        self.processes.sum(sums)
        self.processes.sum_gradients(self.parameters)
        items = sums[1].clamp(min=1)
        for parameter in self.parameters:
            if parameter.grad is not None:
                parameter.grad.div_(items)
        # Without a limit nothing is clipped, but the norm is still logged.
        norm = nn.utils.clip_grad_norm_(self.parameters, settings.clip or math.inf)
        self.optimizer.step()
        return sums, norm

    def _check(self) -> None:
        """Raises `UsageError` at a step that waits whose loss is no number."""
        for done in self.waiting:
            total = done.sums[0].item()
            if not math.isfinite(total):
                raise UsageError(f"the loss is {total} at step {done.step}", remedy=_LOWER)

    def _write(self, log: Log | None, bar: tqdm[Any]) -> None:
        """Logs the steps that wait."""
        self._check()
        for done in self.waiting:
            total, items = done.sums.tolist()
            loss = total / items if items else None
            if log:
                log.write(
                    done.step, done.epoch, int(items), loss, float(done.norm), done.dev, done.rates
                )
                bar.set_postfix(self._postfix(loss), refresh=False)
        self.waiting.clear()

    def _postfix(self, loss: float | None) -> dict[str, str]:
        best = self.progress.best
        shown = {} if loss is None else {"loss": f"{loss:.4f}"}
        if best is None:
            return shown
        metric = self.task.metric
        return shown | {f"best {metric}": figure(self.progress.scores, metric)}

    def _set_rates(self, batches: int, now: int) -> list[float]:
        """Sets the rate of each group for a step of `now` batches in an epoch of `batches`."""
        progress, settings = self.progress, self.settings
        middle = (progress.batches + now / 2) / batches
        share = (progress.epoch + middle) / settings.epochs
        if settings.max_steps:
            share = max(share, (progress.step + 0.5) / settings.max_steps)
        rates = [group.lr * rate_factor(share, settings.warmup) for group in self.groups]
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
        return rates

    def _evaluate(self) -> float:
        """The metric on the development split; keeps the best parameters, minds the patience."""
        progress, settings = self.progress, self.settings
        scores = self._scores()
        score = float(scores[self.task.metric])
        if not math.isfinite(score):
            raise UsageError(
                f"{self.task.metric} of the development split is {score} at step {progress.step}",
                remedy=_LOWER,
            )
        if progress.best is None or score > progress.best:
            progress.best, progress.best_step, progress.scores = score, progress.step, scores
            progress.worse = 0
            if self.processes.first:
                self.resume.save_best(self.model)
        else:
            progress.worse += 1
            if settings.patience and progress.worse >= settings.patience:
                progress.over = progress.over or "patience"
        return score

    def _steps(self, batches: Sequence[Any]) -> int:
        """How many steps there will be in all, if every epoch is as long as this one."""
        progress, settings = self.progress, self.settings
        width = settings.accumulate * self.processes.count
        left = math.ceil((len(batches) - progress.batches) / width)
        after = (settings.epochs - progress.epoch - 1) * math.ceil(len(batches) / width)
        return min(progress.step + left + after, settings.max_steps or 10**18)
