"""The host's second reader: matched filters, fitted faces and proofs, on the device reader's frames.

It shares the profile with the device's reader and nothing else: no threshold of bodies, no outlines joined,
no lattice of spots. A face is found because the whole patch looks like it and like no other.
"""

import math

import numpy as np

from host_tools.second_reader.fit import Fit, Fitter
from host_tools.second_reader.floor import Floor
from host_tools.second_reader.light import Light, Relit
from host_tools.second_reader.profile import LIGHT_PIPS, Profile
from host_tools.second_reader.proof import FLAT_DEGREES, Proof, Prover
from host_tools.second_reader.refusal import REASONS, Refused
from host_tools.second_reader.search import Search

_SEEN = 0.6  # correlation from which something is a die, well read or not
_UNLIKE = 0.7  # residual from which it is none
_SURE = 0.8  # correlation from which it is one, surely
_FAINT = 0.65  # of a sure one's contrast: sides, far faces and dust have less
_NEAREST = 0.93  # sides between the middles of two dice on the platform, at least
_STOREY = 0.75  # of what a storey adds to a pattern's size: more cannot be chance


class FrameError(ValueError):
    """The frames cannot be of this profile; the message says why."""


class SecondReader:
    """Reads scenes of `count` dice with one profile."""

    def __init__(self, profile: Profile, count: int = 3) -> None:
        self.profile = profile
        self._count = count
        self._light = Light(profile)
        self._floor = Floor(profile)
        self._search = Search(profile.look)
        self._fitter = Fitter(profile.look)
        self._prover = Prover(profile, self._light, self._fitter)

    def read(self, frames: list[bytes]) -> dict:
        """The fields of `tumbler read --json` for one frame under each lamp (width * height grey bytes).

        FrameError when a frame is missing or of another size.
        """
        try:
            scene = self._check(frames)
            relit = self._light.relight(scene)
            self._floor.check_lamps(relit)
            fits = self._find(relit)
        except Refused as refusal:
            return answer([], [refusal])
        read, refusals = [], []
        for fit in fits:
            try:
                others = [other for other in fits if other is not fit]
                read.append((fit, self._prover.prove(fit, relit, scene, others)))
            except Refused as refusal:
                refusals.append(refusal)
        for check in (self._check_count, self._check_heights):
            try:
                check(fits)
            except Refused as refusal:
                refusals.append(refusal)
        try:
            self._floor.check_bare(relit, fits)
        except Refused as refusal:
            refusals.append(refusal)
        return answer(read, refusals)

    def _check(self, frames: list[bytes]) -> np.ndarray:
        profile = self.profile
        lamps = len(profile.positions)
        if len(frames) != lamps:
            raise FrameError(f"{len(frames)} frames, the profile is for {lamps}")
        if any(len(frame) != profile.width * profile.height for frame in frames):
            raise FrameError(f"a frame is not of {profile.width} x {profile.height} pixels")
        if len(set(frames)) < len(frames):
            raise Refused("unreadable", "stuck-camera")
        scene = [np.frombuffer(f, np.uint8).reshape(profile.height, profile.width) for f in frames]
        return self._light.straighten(np.stack(scene))

    def _find(self, relit: Relit) -> list[Fit]:
        """What looks like a face, best first, each place once."""
        found: list[Fit] = []
        for candidate in self._search.find(relit.albedo, self._floor.reachable):
            fit = self._fitter.fit(relit, candidate.pose, candidate.face)
            if fit is None or fit.score < _SEEN or fit.residual > _UNLIKE or fit.depth <= 0:
                continue
            if all(_distance(fit, other) > 0.25 * self.profile.look.side for other in found):
                found.append(fit)
        deepest = max((fit.depth for fit in found if fit.score > _SURE), default=0)
        return without_ghosts([fit for fit in found if fit.depth > _FAINT * deepest], self.profile.look.side)

    def _check_count(self, fits: list[Fit]) -> None:
        if len(fits) < self._count:
            raise Refused("die-missing", f"{len(fits)} of {self._count} dice")
        if len(fits) > self._count:
            raise Refused("extra-object", f"{len(fits)} dice")

    def _check_heights(self, fits: list[Fit]) -> None:
        """Light pips have no outline to tell the height by; their patterns must be of one size."""
        if self.profile.look.polarity != LIGHT_PIPS:
            return
        sides = [fit.pose.side for fit in fits if fit.face > 1]
        storey = self.profile.lens / (1 - 2 * self.profile.lens)
        if sides and max(sides) > (1 + _STOREY * storey) * min(sides):
            raise Refused("stacked", "pitches differ")


def without_ghosts(found: list[Fit], side: float) -> list[Fit]:
    """The dice among the patterns found: those with most pips, and no pattern that overlaps with one.

    Pips of two dice make patterns, too, and a pip of a two is a fair one. What is left out this way is missed
    in the count when it was a die.
    """
    dice: list[Fit] = []
    for fit in sorted(found, key=lambda fit: fit.face * fit.score**4, reverse=True):
        if all(_distance(fit, die) > _NEAREST * side for die in dice):
            dice.append(fit)
    return dice


def _distance(one: Fit, other: Fit) -> float:
    return math.hypot(one.pose.x - other.pose.x, one.pose.y - other.pose.y)


def answer(read: list[tuple[Fit, Proof]], refusals: list[Refused]) -> dict:
    """The fields of `tumbler read --json`: read when nothing refuses.

    A die's confidence is its correlation with a drawn face, and its margin by how much that beats the next
    best face's: nobody measured how often such a die is read rightly, as was done for the device's reader.
    """
    dice = [_die(fit, proof) for fit, proof in sorted(read, key=lambda die: (die[0].pose.y, die[0].pose.x))]
    if not refusals:
        faces = [die["face"] for die in dice]
        return {"verdict": "read", "faces": faces, "reason": None, "detail": None, "dice": dice}
    worst = min(refusals, key=lambda refusal: REASONS.index(refusal.reason))
    return {"verdict": "refused", "faces": [], "reason": worst.reason, "detail": worst.detail, "dice": dice}


def _die(fit: Fit, proof: Proof) -> dict:
    return {
        "face": fit.face,
        "x": round(fit.pose.x, 2),
        "y": round(fit.pose.y, 2),
        "side": round(fit.pose.side, 2),
        "angle": round(math.degrees(fit.pose.angle) % 90, 1),
        "tilt_deg": None if proof.tilt is None else round(proof.tilt, 1),
        "flat": proof.tilt is None or proof.tilt < FLAT_DEGREES,
        "margin": round(fit.margin, 3),
        "confidence": round(min(fit.score, 1.0), 3),
    }
