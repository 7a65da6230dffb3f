"""The host side of the Sic Bo tumbler: link, verification, ledger, settlement and the `tumbler` command."""
