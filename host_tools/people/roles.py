"""The roles at a table and what each may do; one place, read by every door into the service."""

from enum import StrEnum


class Role(StrEnum):
    """What a person or a program is at the tables."""

    TABLE_SERVER = "table-server"
    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    SHIFT_MANAGER = "shift-manager"
    TECHNICIAN = "technician"
    AUDITOR = "auditor"


class Deed(StrEnum):
    """What can be done. What takes two people is proposed under its own deed and confirmed under CONFIRM."""

    WATCH = "watch"  # tables, rounds, events
    PLAY = "play"  # open a round, tumble, no more bets, announce cards
    WAGER = "wager"  # place and withdraw
    SEE_WAGERS = "see-wagers"
    SEE_EVIDENCE = "see-evidence"
    REFER = "refer"
    VOID = "void"
    ENTER = "enter"  # propose dice by hand, or a mistyped card anew
    DRAW = "draw"  # enter cards as they are drawn
    LOAD_SHOE = "load-shoe"
    DECIDE = "decide"  # release a held round, answer an alarm, propose a correction
    RESOLVE = "resolve"  # end what the rules leave to the shift manager: a referred round
    CONFIRM = "confirm"  # be the second person
    CLEAR_FAULT = "clear-fault"
    CHANGE_DICE = "change-dice"
    RECALL = "recall"  # the device's last rounds
    AUDIT = "audit"  # records, chains, access log
    MANAGE = "manage"  # accounts and tokens


MAY: dict[Role, frozenset[Deed]] = {
    Role.TABLE_SERVER: frozenset({Deed.WATCH, Deed.PLAY, Deed.WAGER, Deed.SEE_WAGERS, Deed.REFER, Deed.DRAW}),
    Role.DEALER: frozenset({Deed.WATCH, Deed.PLAY, Deed.SEE_WAGERS, Deed.REFER, Deed.ENTER, Deed.DRAW}),
    Role.SUPERVISOR: frozenset(
        {
            Deed.WATCH,
            Deed.PLAY,
            Deed.SEE_WAGERS,
            Deed.SEE_EVIDENCE,
            Deed.REFER,
            Deed.VOID,
            Deed.ENTER,
            Deed.DRAW,
            Deed.LOAD_SHOE,
            Deed.DECIDE,
            Deed.CONFIRM,
            Deed.CHANGE_DICE,
            Deed.RECALL,
        }
    ),
    Role.SHIFT_MANAGER: frozenset(
        {
            Deed.WATCH,
            Deed.SEE_WAGERS,
            Deed.SEE_EVIDENCE,
            Deed.REFER,
            Deed.VOID,
            Deed.LOAD_SHOE,
            Deed.DECIDE,
            Deed.RESOLVE,
            Deed.CONFIRM,
            Deed.CLEAR_FAULT,
            Deed.CHANGE_DICE,
            Deed.RECALL,
            Deed.AUDIT,
            Deed.MANAGE,
        }
    ),
    Role.TECHNICIAN: frozenset({Deed.WATCH, Deed.CLEAR_FAULT, Deed.CHANGE_DICE, Deed.RECALL}),
    Role.AUDITOR: frozenset({Deed.WATCH, Deed.SEE_WAGERS, Deed.SEE_EVIDENCE, Deed.RECALL, Deed.AUDIT}),
}
# A program holds its secret in a file: it never stands for one of two people.
PROGRAM_ROLES = frozenset({Role.TABLE_SERVER, Role.AUDITOR})


def may(role: Role, deed: Deed) -> bool:
    """Whether the role includes the deed."""
    return deed in MAY[role]
