"""What the reader's confidence is worth: of the dice reported with it, the share that was right and sound.

Measured on a campaign's results, either to see whether what was claimed held, or to make the bands of margins
from which the device tells its confidence.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from host_tools.scoring import Label, clopper_pearson, partners
from host_tools.twin.truth import COCKED

EDGES = (0, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1)  # of the bins in which claims are compared with what held
SHARES = (0.02, 0.1, 0.4)  # of all dice, the least sure first: where their margins are cut into bands
FEW = 30  # dice prove too little for a band of their own

Told = tuple[float, float, bool]  # of a read die: margin, confidence, whether it deserved to be read
Band = tuple[int, int, int]  # least margin in thousandths, dice, and how many of them deserved it


def dice_told(label: Label, answer: dict[str, Any]) -> list[Told]:
    """Of each die of a read scene what was told of it, and whether it was right and sound."""
    lying = {read: true for true, read in partners(label.dice, answer["dice"]).items()}
    deserved = [
        number in lying
        and label.dice[lying[number]].face == die["face"]
        and _is_sound(label.fields["dice"][lying[number]])
        for number, die in enumerate(answer["dice"])
    ]
    if label.must_refuse and all(deserved):  # what forbids to read lies beside the dice, or in the picture
        deserved = [False] * len(deserved)
    return [
        (die["margin"], die["confidence"], held) for die, held in zip(answer["dice"], deserved, strict=True)
    ]


def _is_sound(die: dict[str, Any]) -> bool:
    return not (die["damaged"] or die["stacked"] or die["tilt_deg"] >= COCKED)


def reliability(dice: Iterable[Told]) -> list[dict[str, Any]]:
    """Bins of confidence that hold dice: `claimed`, the mean of what was told, beside the share that deserved
    it, which lies `within` bounds, each at 95 %."""
    bins: list[list[Told]] = [[] for _ in pairwise(EDGES)]
    for die in dice:
        bins[min(bisect_right(EDGES, die[1]), len(bins)) - 1].append(die)
    return [_compared(*edges, told) for edges, told in zip(pairwise(EDGES), bins, strict=True) if told]


def _compared(least: float, most: float, told: Sequence[Told]) -> dict[str, Any]:
    held = sum(deserved for _, _, deserved in told)
    within = clopper_pearson(held, len(told))
    return {
        "from": least,
        "to": most,
        "dice": len(told),
        "deserved": held,
        "claimed": round(sum(confidence for _, confidence, _ in told) / len(told), 4),
        "share": round(held / len(told), 4),
        "within": [round(bound, 4) for bound in within],
    }


def bands(dice: Iterable[tuple[float, bool]]) -> list[Band]:
    """Bands of rising margin, the first from 0, of dice told by (margin, deserved); what a band is worth
    rises strictly, for neighbours that contradict it, or hold few dice, are one band."""
    ordered = sorted((int(margin * 1000), deserved) for margin, deserved in dice)
    cuts = {ordered[int(share * len(ordered))][0] for share in SHARES if ordered}
    found: list[Band] = []
    for least, most in pairwise(sorted({0, 1001} | cuts)):
        held = [deserved for margin, deserved in ordered if least <= margin < most]
        found.append((least, len(held), sum(held)))
        while len(found) > 1 and (found[-2][1] < FEW or worth(found[-1]) <= worth(found[-2])):
            upper, lower = found.pop(), found.pop()
            found.append((lower[0], lower[1] + upper[1], lower[2] + upper[2]))
    return found


def worth(band: Band) -> int:
    """Thousandths of its dice that surely deserve it, at 95 %: with none wrong of n, 1 - 3 / n."""
    _, dice, deserved = band
    return int(clopper_pearson(deserved, dice)[0] * 1000)


def claims(reliability: Iterable[dict[str, Any]]) -> Iterator[tuple[object, ...]]:
    """Rows of a table of bins, below CLAIMS_HEAD."""
    for each in reliability:
        yield (
            f"{each['from']:g} to {each['to']:g}",
            each["dice"],
            each["deserved"],
            f"{each['claimed']:.4f}",
            f"{each['share']:.4f}",
            f"{each['within'][0]:.4f} to {each['within'][1]:.4f}",
        )


CLAIMS_HEAD = ("confidence", "dice", "right and sound", "claimed", "share", "within, at 95 %")
CLAIMS = (
    "A die's confidence is the share, of dice read with such a margin, that was surely right and sound, which"
    " is level, undamaged and with nothing wrong beside it; measured on scenes of another seed. Here:"
)
