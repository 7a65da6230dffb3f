"""What each role may do: the issue's separation of duties, told once more and independently."""

import itertools

import pytest

from host_tools.people import MAY, Deed, NotAllowed, Person, Role, may
from host_tools.people.roles import PROGRAM_ROLES

ALLOWED = """
watch         table-server dealer supervisor shift-manager technician auditor
play          table-server dealer supervisor
wager         table-server
see-wagers    table-server dealer supervisor shift-manager auditor
see-evidence  supervisor shift-manager auditor
refer         table-server dealer supervisor shift-manager
void          supervisor shift-manager
enter         dealer supervisor
draw          table-server dealer supervisor
load-shoe     supervisor shift-manager
decide        supervisor shift-manager
resolve       shift-manager
confirm       supervisor shift-manager
clear-fault   shift-manager technician
change-dice   supervisor shift-manager technician
recall        supervisor shift-manager technician auditor
audit         shift-manager auditor
manage        shift-manager
"""


def test_every_role_may_do_exactly_what_the_table_says():
    expected = {line.split()[0]: set(line.split()[1:]) for line in ALLOWED.strip().splitlines()}
    assert set(expected) == {str(deed) for deed in Deed}
    for role, deed in itertools.product(Role, Deed):
        assert may(role, deed) == (role in expected[deed]), f"{role} {deed}"


def test_who_plays_or_wagers_never_decides():
    for role in Role:
        if Deed.WAGER in MAY[role]:
            assert not MAY[role] & {
                Deed.VOID,
                Deed.DECIDE,
                Deed.RESOLVE,
                Deed.CONFIRM,
                Deed.ENTER,
                Deed.MANAGE,
            }
    for role in PROGRAM_ROLES:
        assert Deed.CONFIRM not in MAY[role]


def test_an_auditor_changes_nothing():
    assert MAY[Role.AUDITOR] <= {Deed.WATCH, Deed.SEE_WAGERS, Deed.SEE_EVIDENCE, Deed.RECALL, Deed.AUDIT}


def test_a_refusal_names_the_role_and_the_deed():
    dealer = Person("Ada", Role.DEALER, program=False, origin="127.0.0.1")
    dealer.require(Deed.PLAY)
    with pytest.raises(NotAllowed, match=r"dealer.*void"):
        dealer.require(Deed.VOID)
