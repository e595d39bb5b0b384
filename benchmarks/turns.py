"""Sides of a comparison that take turns, so that other load on the machine falls on each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping

import numpy as np
import torch
from numpy.typing import NDArray

Side = Callable[[int], float]
"""Does its work of a round, numbered from 0, and says how many items that were."""


def compare(sides: Mapping[str, Side], rounds: int, unit: str) -> dict[str, NDArray[np.float64]]:
    """Runs the sides in turn; prints what each does in a second and the first side's advantage.

    Each has a round before those that count. Returns the median seconds an item, wall-clock and
    of the processor.
    """
    print(f"\n{unit + ' a second':32}{'wall':>12}{'cpu':>12}{'ratio, wall':>24}{'ratio, cpu':>24}")
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
    for number in range(rounds + 1):
        for name, side in sides.items():
            took[name].append(timed(side, number))
            if number:
                _show(f"  {number}. {name}", took[name][-1])
    seconds = {name: np.array(own[1:]) for name, own in took.items()}  # [rounds, 2], of an item
    medians = {name: np.median(own, axis=0) for name, own in seconds.items()}
    best = next(iter(seconds.values()))
    for name, own in seconds.items():
        _show(name, medians[name], "" if own is best else ratios(own / best))
    return medians


def _show(name: str, seconds: Iterable[float], more: str = "") -> None:
    print(f"{name:32}{''.join(f'{1 / second:12,.1f}' for second in seconds)}{more}", flush=True)


def ratios(of: NDArray[np.float64]) -> str:
    """Median, lowest and highest of each column of [rounds, 2]."""
    cells = (f"{np.median(one):.2f} [{one.min():.2f}, {one.max():.2f}]" for one in of.T)
    return "".join(f"{cell:>24}" for cell in cells)


def timed(do: Side, number: int = 0) -> tuple[float, float]:
    """Seconds an item, wall-clock and of this process."""
    _wait()
    wall, cpu = time.perf_counter(), time.process_time()
    done = do(number)
    _wait()
    return (time.perf_counter() - wall) / done, (time.process_time() - cpu) / done


def _wait() -> None:
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()
