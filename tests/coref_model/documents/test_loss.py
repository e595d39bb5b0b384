"""The loss against one computed span by span and pair by pair, from the weights, in float64."""

from __future__ import annotations

import math
from zlib import crc32

import pytest
import torch
from torch import Tensor
from torch.nn.functional import linear

from corefmill.coref_model.documents import model as module
from corefmill.coref_model.documents.inputs import DocumentInput
from corefmill.coref_model.documents.model import DocumentModel, antecedent_loss, mention_loss
from corefmill.coref_model.documents.ranking import BORDERS, GENRES, Ranked
from tests.coref_model.documents.made import document, model

WORDS = ("A: Ada met her friend", "B: she said it", "A: Zyxo did")
CLUSTERS = [[(0, 0, 1), (0, 2, 3), (1, 0, 1)], [(0, 2, 4), (2, 0, 1)]]
_NW = crc32(b"nw") % GENRES  # row of the documents' genre


def _model(**own: object) -> tuple[DocumentModel, DocumentInput, Tensor]:
    own = {"surface": False} | own
    made = model(max_width=3, ratio=1.0, antecedents=50, mention_loss=0.5, **own).double()
    one = made.make_input(document(*WORDS, clusters=CLUSTERS))
    torch.manual_seed(3)
    if made.ranker.genre is not None:
        torch.nn.init.normal_(made.ranker.genre.weight)
    return made, one, torch.randn(len(one.ids), made.encoder.width, dtype=torch.float64)


def _vector(m: DocumentModel, one: DocumentInput, x: Tensor, a: int, b: int) -> Tensor:
    """[first; last; attended head] of the words [a, b)."""
    first, last = int(one.first[a]), int(one.last[b - 1])
    weights = m.represent.attend(x[first : last + 1]).squeeze(-1).softmax(0)
    return torch.cat([x[first], x[last], weights @ x[first : last + 1]])


def _mention(m: DocumentModel, one: DocumentInput, x: Tensor, a: int, b: int) -> Tensor:
    s = m.mentions
    weights = torch.cat([s.first.weight, s.last.weight, s.head.weight], dim=1)
    layer = weights @ _vector(m, one, x, a, b) + s.first.bias
    layer = (layer + s.widths.weight[b - a - 1]).relu()
    return (s.out(layer) + s.prior.weight[b - a - 1]).squeeze()


def _reference(m: DocumentModel, one: DocumentInput, x: Tensor) -> Tensor:
    x = m.norm(x)
    spans = list(zip(one.starts.tolist(), one.ends.tolist(), strict=True))
    scores = torch.stack([_mention(m, one, x, a, b) for a, b in spans])
    kept = m.choose_ranked(one, scores).tolist()
    r = m.ranker
    vectors = [(_vector(m, one, x, a, b), m.widths.weight[b - a - 1]) for a, b in spans]
    g = [m.narrow(torch.cat(vectors[i])) for i in kept]
    gold = [int(one.gold[i]) for i in kept]
    total = torch.zeros((), dtype=torch.float64)
    for i, own in enumerate(kept):
        every, right = [torch.zeros((), dtype=torch.float64)], []
        for j, other in enumerate(kept[:i]):
            near = sum(i - j >= border for border in BORDERS)
            score = (
                scores[own] + scores[other] + linear(g[i], r.coarse.weight, r.coarse.bias) @ g[j]
            )
            score = score + r.prior.weight[near].squeeze()
            p = r.pairs
            layer = (
                torch.cat([p.left.weight, p.right.weight, p.product.weight], dim=1)
                @ torch.cat([g[i], g[j], g[i] * g[j]])
                + p.left.bias
                + r.distance.weight[near]
            )
            same = one.speakers[one.starts[own]] == one.speakers[one.starts[other]]
            layer = layer + r.speaker.weight[2 if same else 1]
            if r.genre is not None:
                layer = layer + r.genre.weight[_NW]
            score = score + p.last(p.second(layer.relu()).relu()).squeeze()
            every.append(score)
            if gold[i] >= 0 and gold[i] == gold[j]:
                right.append(score)
        wanted = right or [every[0]]
        total = total + torch.stack(every).logsumexp(0) - torch.stack(wanted).logsumexp(0)
    for score, cluster in zip(scores, one.gold.tolist(), strict=True):
        p_mention = torch.sigmoid(score)
        total = total - 0.5 * torch.log(p_mention if cluster >= 0 else 1 - p_mention)
    return total


@pytest.mark.parametrize("own", [{}, {"genre": '""'}, {"pair_width": 0}])
def test_loss_is_the_reference(own: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEWEST", 0)
    made, one, x = _model(**own)
    total, number = made.loss(one, x)
    assert number == len(made.choose_ranked(one, made.score_mentions(one, x))) == 9
    torch.testing.assert_close(total, _reference(made, one, x), rtol=1e-6, atol=1e-6)


def test_a_missed_antecedent_costs_more() -> None:
    scores = torch.tensor([[-torch.inf, -torch.inf], [0.0, -torch.inf], [math.log(2), math.log(4)]])
    ranked = Ranked(torch.tensor([[0, 1], [0, 1], [0, 1]]), scores)
    gold = torch.tensor([0, -1, 0])
    # The first two spans have none, the third the first: of 1 + 2 + 4 parts it is 2.
    assert antecedent_loss(ranked, gold).exp() == pytest.approx(2 * 7 / 2)
    # Having none now has three parts for it, where it is wrong alone.
    found = antecedent_loss(ranked, gold, missed=math.log(3))
    assert found.exp() == pytest.approx(2 * (3 + 2 + 4) / 2)


def test_where_little_is_annotated_only_that_competes() -> None:
    scores = torch.tensor(
        [
            [-torch.inf, -torch.inf, -torch.inf],
            [5.0, -torch.inf, -torch.inf],  # not annotated: may be anybody's
            [math.log(3), 1.0, -torch.inf],  # another cluster's first: has none
            [0.0, 7.0, math.log(2)],  # means the first span
            [1.0, 7.0, 2.0],
        ]
    )
    places = torch.tensor([[0, 1, 2]] * 4 + [[1, 2, 3]])
    gold = torch.tensor([0, -1, 1, 0, 9])
    found = antecedent_loss(Ranked(places, scores), gold, partial=True)
    last = 1 + math.e**7 + math.e**2  # none, and the two that are annotated
    assert found.exp().item() == pytest.approx((1 + 3) * (1 + 1 + 2) * last, rel=1e-4)
    # The last span's antecedent is no candidate, so that nothing is known of it.
    gold[4] = 0
    unknown = antecedent_loss(
        Ranked(torch.tensor([[0, 1, 2]] * 4 + [[1, 2, 2]]), scores), gold, partial=True
    )
    assert unknown.exp().item() == pytest.approx((1 + 3) * (1 + 1 + 2), rel=1e-4)


def test_each_span_counts_by_its_weight() -> None:
    scores = torch.tensor([[-torch.inf, -torch.inf], [0.0, -torch.inf], [1.0, -1.0]])
    ranked = Ranked(torch.tensor([[0, 1], [0, 1], [0, 1]]), scores)
    gold = torch.tensor([4, -1, 4])
    # As by hand above: nothing, log 2, and that of the third.
    found = antecedent_loss(ranked, gold, weights=torch.tensor([1.0, 0.5, 0.0]))
    assert float(found) == pytest.approx(math.log(2) / 2, rel=1e-6)
    # Of a score of 0 either answer costs log 2.
    mentions = mention_loss(torch.zeros(3), gold, torch.tensor([0.0, 0.25, 1.0]))
    assert float(mentions) == pytest.approx(1.25 * math.log(2), rel=1e-6)
