"""Scores any dice reader on a labelled set of scenes: right, wrong or refused, by category, with bounds.

    labels = load_labels(folder)
    tally = Tally()
    for label in labels:
        tally.add(label, answer)      # the fields of `tumbler read --json` for label.path

What counts is in `judging`; what a label holds is in `labels`.
"""

from host_tools.scoring.bounds import clopper_pearson
from host_tools.scoring.judging import Judgement, Outcome, judge, partners
from host_tools.scoring.labels import Label, LabelError, LabelledDie, load_labels
from host_tools.scoring.tally import Counts, Tally

__all__ = [
    "Counts",
    "Judgement",
    "Label",
    "LabelError",
    "LabelledDie",
    "Outcome",
    "Tally",
    "clopper_pearson",
    "judge",
    "load_labels",
    "partners",
]
