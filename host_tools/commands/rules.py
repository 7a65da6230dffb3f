"""`tumbler rules`: the rulebooks, a layout with the clause of every rule, the exact house edges."""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from host_tools.rulebooks import Layout, Offer, Rulebook
    from host_tools.rulebooks.odds import Edge

Key = TypeVar("Key")

Json = Annotated[bool, typer.Option("--json", help="One JSON object a line and nothing else.")]

_ACTION_STYLES = {"void": "red", "void-affected": "red", "refer": "yellow", "settle-by-dice": "green"}


def register(app: typer.Typer) -> None:
    """Add the command group `rules`."""
    group = typer.Typer(
        no_args_is_help=True, help="The rulebooks: list, show a layout, audit the house edge."
    )
    group.command("list")(list_rules)
    group.command("show")(show_rules)
    group.command("audit")(audit_rules)
    app.add_typer(group, name="rules")


def list_rules(as_json: Json = False) -> None:
    """List the rulebooks with their layouts and stake limits."""
    from host_tools.rulebooks import list_rulebooks  # noqa: PLC0415

    with usage_errors():
        rulebooks = list_rulebooks()
        if as_json:
            for rulebook in rulebooks:
                print(json.dumps(_header(rulebook)))
        else:
            _console().print(_rulebook_table(rulebooks))


def show_rules(
    rulebook: Annotated[str, typer.Argument(help="A rulebook id, or the path of a rulebook's .toml file.")],
    layout: Annotated[str, typer.Argument(help="A layout of that rulebook.")],
    html: Annotated[
        Path | None, typer.Option(help="Write the betting layout as a page for people to this file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a layout: wagers as the terminal groups them, odds, limits, irregularities, with clauses."""
    from host_tools.rulebooks import load_rulebook  # noqa: PLC0415
    from host_tools.rulebooks.page import layout_page  # noqa: PLC0415

    with usage_errors():
        book = load_rulebook(rulebook)
        chosen = book.layout(layout)
        if html is not None:
            html.write_text(layout_page(book, chosen), encoding="utf-8")
        if as_json:
            print(json.dumps(_shown(book, chosen)))
        else:
            _show(book, chosen, _console())
            _tell_advantages(book, chosen)
            if html is not None:
                print(f"page written to {html}")


def audit_rules(
    rulebook: Annotated[
        str | None, typer.Argument(help="A rulebook id or file; all rulebooks if omitted.")
    ] = None,
    layout: Annotated[str | None, typer.Argument(help="One layout; all layouts if omitted.")] = None,
    decks: Annotated[
        int | None, typer.Option(help="Decks in the shoe, for card games; the most allowed if omitted.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compute the exact house edge of every wager by enumeration of all outcomes."""
    from host_tools.rulebooks import list_rulebooks, load_rulebook  # noqa: PLC0415
    from host_tools.rulebooks.odds import layout_edges  # noqa: PLC0415

    with usage_errors():
        books = [load_rulebook(rulebook)] if rulebook else list_rulebooks()
        layouts = [(book, each) for book in books for each in ([book.layout(layout)] if layout else book)]
        audits = []
        for book, each in layouts:
            # When everything is audited, decks are for the card games among it; else a mistake is told.
            applicable = decks if book.decks or rulebook else None
            audits.append((book, each, layout_edges(book, each, applicable), applicable))
        for book, each, edges, applicable in audits:
            if as_json:
                for edge in edges:
                    print(json.dumps(_edge_line(book, each, edge)))
            else:
                _console().print(_audit_table(book, each, edges, applicable))
            _tell_advantages(book, each)


def _tell_advantages(rulebook: "Rulebook", layout: "Layout") -> None:
    """Say on standard error which wagers of a layout the house has no edge on."""
    from host_tools.rulebooks.odds import player_advantages  # noqa: PLC0415

    for edge in player_advantages(rulebook, layout):
        says = "favours the player" if edge.edge < 0 else "leaves the house no edge"
        typer.echo(
            f"{rulebook.id} {layout.id}: {edge.wager} {says} (house edge {edge.edge}, {edge.percent} %); "
            "a table opens on this layout only if its configuration accepts that wager",
            err=True,
        )


@contextmanager
def usage_errors(*others: type[Exception]) -> Iterator[None]:
    """Turn what the user got wrong, or what cannot be read or written, into a message and exit status 2.

    `others` are error classes to treat so, beyond those of rulebooks and files.
    """
    from host_tools.rulebooks import (  # noqa: PLC0415
        RulebookError,
        UnknownLayoutError,
        UnknownRulebookError,
    )
    from host_tools.rulebooks.odds import DecksError  # noqa: PLC0415

    mistakes = (RulebookError, UnknownRulebookError, UnknownLayoutError, DecksError, *others)
    try:
        if sys.stdout is None:
            raise OSError("standard output is closed")
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has seen enough (`| head`); closing standard output again must not complain.
        _discard_output()
        raise typer.Exit(1) from None
    except OSError as error:
        if sys.stdout is not None:
            _discard_output()
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from error
    except mistakes as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from error


def _discard_output() -> None:
    """Let nothing more reach standard output, so that what is still buffered cannot fail again at exit."""
    with suppress(OSError):  # a stand-in without a file descriptor buffers nothing either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _header(rulebook: "Rulebook") -> dict[str, Any]:
    decks = rulebook.decks
    return {
        "rulebook": rulebook.id,
        "title": rulebook.title,
        "operator": rulebook.operator,
        "jurisdiction": rulebook.jurisdiction,
        "effective": rulebook.effective,
        "play_mode": rulebook.play_mode,
        "minimum_tumbles": rulebook.minimum_tumbles,
        "decks": [decks.minimum, decks.maximum] if decks else None,
        "layouts": list(rulebook.layouts),
        "limits": list(rulebook.limits),
        "digest": rulebook.digest,
    }


def _shown(rulebook: "Rulebook", layout: "Layout") -> dict[str, Any]:
    from host_tools.rulebooks.odds import odds_text  # noqa: PLC0415

    return {
        **_header(rulebook),
        "layout": layout.id,
        "layout_clause": layout.clause,
        "play_clause": rulebook.play_clause,
        "tumbles_clause": rulebook.tumbles_clause,
        "manual_entry": rulebook.manual_entry or None,
        "closing": vars(rulebook.closing),
        "referral": {"to": rulebook.referral, "clause": rulebook.referral_clause},
        "sections": [
            {
                "kind": section.kind,
                "title": section.title,
                "clause": section.condition.clause,
                "wagers": [
                    {
                        "wager": offer.wager,
                        "wins": offer.wins,
                        "odds": {str(level): odds_text(odds) for level, odds in sorted(offer.odds.items())},
                        "clause": offer.odds_clause,
                    }
                    for offer in section.offers
                ],
            }
            for section in layout.sections
        ],
        "stake_limits": [
            {
                "limits": limits.id,
                "clause": limits.clause,
                "minimum": odds_text(limits.minimum),
                "maxima": {
                    wager: {
                        "stake": odds_text(limits.maxima[wager].stake),
                        "clause": limits.maxima[wager].clause,
                    }
                    for wager in layout.offers
                },
            }
            for limits in rulebook.limits.values()
        ],
        "irregularities": [vars(ruling) for ruling in rulebook.irregularities.values()],
    }


def _edge_line(rulebook: "Rulebook", layout: "Layout", edge: "Edge") -> dict[str, Any]:
    return {
        "rulebook": rulebook.id,
        "layout": layout.id,
        "wager": edge.wager,
        "odds": edge.odds,
        "ways": edge.ways,
        "house_edge": str(edge.edge),
        "house_edge_percent": edge.percent,
    }


def _console() -> "Console":
    from rich.console import Console  # noqa: PLC0415

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 160
    return console


def _table(title: str, *columns: str) -> Any:
    """A table that wraps its texts and never cuts them."""
    from rich import box  # noqa: PLC0415
    from rich.table import Column, Table  # noqa: PLC0415

    return Table(
        *(Column(name, overflow="fold") for name in columns),
        title=_plain(title),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )


def _plain(text: str, style: str = "") -> Any:
    """A rulebook's text as it is, whatever brackets it has."""
    from rich.text import Text  # noqa: PLC0415

    return Text(text, style=style)


def _row(table: Any, first: str, *others: str, style: str = "", indent: int = 0) -> None:
    from rich.padding import Padding  # noqa: PLC0415

    table.add_row(Padding(_plain(first), (0, 0, 0, indent)), *map(_plain, others), style=style)


def _rulebook_table(rulebooks: "list[Rulebook]") -> Any:
    from rich.console import Group  # noqa: PLC0415

    table = _table("Rulebooks", "rulebook", "effective, play", "layouts", "limits")
    for column in (2, 3):
        table.columns[column].no_wrap = True
    table.columns[0].min_width = max(len(rulebook.id) for rulebook in rulebooks)
    for rulebook in rulebooks:
        table.add_row(
            Group(
                _plain(rulebook.id, "bold"),
                _plain(rulebook.title),
                _plain(rulebook.operator, "dim"),
            ),
            _plain(f"{rulebook.effective}\n{_play(rulebook)}"),
            _plain("\n".join(rulebook.layouts)),
            _plain("\n".join(rulebook.limits) or "-"),
            end_section=True,
        )
    return table


def _play(rulebook: "Rulebook") -> str:
    if rulebook.decks:
        return f"cards, {rulebook.decks.minimum} to {rulebook.decks.maximum} decks"
    least = rulebook.minimum_tumbles
    return f"{rulebook.play_mode}, at least {least} tumble{'s' if least > 1 else ''}"


def _show(rulebook: "Rulebook", layout: "Layout", console: "Console") -> None:
    def tell(text: str, style: str = "") -> None:
        console.print(_plain(text, style))

    tell(f"{rulebook.title}: {layout.title}", "bold")
    tell(f"{rulebook.operator}, {rulebook.jurisdiction}; effective {rulebook.effective}")
    tell(f"rulebook {rulebook.id}, layout {layout.id} (clause {layout.clause})")
    if layout.note:
        tell(layout.note, "dim")
    tell(f"play: {_play(rulebook)} (clauses {rulebook.play_clause}; {rulebook.tumbles_clause})")
    if rulebook.decks:
        tell(f"a deck has {rulebook.decks.each_face} cards of each face (clause {rulebook.decks.clause})")
    if rulebook.manual_entry:
        tell(f"the dealer enters the dice by hand (clause {rulebook.manual_entry})")
    closing = rulebook.closing
    tell(
        f"bets close when {closing.when} (clause {closing.clause}); "
        f"later wagers: clause {closing.late_clause}; withdrawn wagers: clause {closing.withdrawn_clause}\n"
    )
    console.print(_wager_table(layout))
    if rulebook.limits:
        console.print(_limits_table(rulebook, layout))
    irregularities = _table("Irregularities", "fact", "ruling", "clause", "note")
    for column in (0, 1):
        irregularities.columns[column].no_wrap = True
    for ruling in rulebook.irregularities.values():
        action = _plain(ruling.action, _ACTION_STYLES[ruling.action])
        irregularities.add_row(ruling.fact, action, *map(_plain, (ruling.clause, ruling.note)))
    console.print(irregularities)
    tell(f"refer: to {rulebook.referral} (clause {rulebook.referral_clause})")
    tell(f"SHA-256 of the rulebook's file: {rulebook.digest}", "dim")


def _wager_table(layout: "Layout") -> Any:
    """The sections in the layout's order, each with its win conditions; wagers paid alike share a line."""
    from host_tools.rulebooks.odds import offer_odds_text  # noqa: PLC0415

    table = _table("Wagers", "wagers (kind:numbers)", "pays (to 1)", "clause")
    for section in layout.sections:
        _row(table, section.title, style="bold")
        by_condition: dict[str, list[Offer]] = {}
        for offer in section.offers:
            by_condition.setdefault(offer.wins, []).append(offer)
        for wins, offers in by_condition.items():
            _row(table, f"wins when {wins}", "", section.condition.clause, indent=2)
            for (odds, clause), wagers in _grouped(
                ((offer_odds_text(offer), offer.odds_clause), offer.wager) for offer in offers
            ).items():
                _row(table, _named(wagers), odds, clause, style="green", indent=2)
        table.add_section()
    return table


def _grouped(pairs: Iterable[tuple[Key, str]]) -> dict[Key, list[str]]:
    """The wagers of each key, both in order."""
    found: dict[Key, list[str]] = {}
    for key, wager in pairs:
        found.setdefault(key, []).append(wager)
    return found


def _named(wagers: list[str]) -> str:
    """Wagers of one layout in short: `total: 4 17`, several kinds one after the other."""
    kinds = _grouped((kind, numbers) for kind, _, numbers in (wager.partition(":") for wager in wagers))
    return "; ".join(
        f"{kind}: {' '.join(numbers)}" if numbers[0] else kind for kind, numbers in kinds.items()
    )


def _limits_table(rulebook: "Rulebook", layout: "Layout") -> Any:
    from host_tools.rulebooks.odds import odds_text  # noqa: PLC0415

    limits = list(rulebook.limits.values())
    table = _table("Stake limits", "wagers", *(each.id for each in limits), "clause")
    _row(
        table,
        "least stake",
        *(odds_text(each.minimum) for each in limits),
        _listed(each.clause for each in limits),
        style="bold",
    )
    alike = _grouped((tuple(each.maxima[wager] for each in limits), wager) for wager in layout.offers)
    for maxima, wagers in alike.items():
        stakes = (odds_text(most.stake) for most in maxima)
        _row(table, f"most on {_named(wagers)}", *stakes, _listed(most.clause for most in maxima))
    return table


def _listed(clauses: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(clauses))


def _audit_table(rulebook: "Rulebook", layout: "Layout", edges: list["Edge"], decks: int | None) -> Any:
    """One table a layout; wagers of a section with the same odds and edge share a line."""
    game = f", {decks or rulebook.decks.maximum} decks" if rulebook.decks else ""
    title = f"{rulebook.id}  {layout.id}: house edge{game}, of {edges[0].of:,} outcomes"
    table = _table(title, "wagers (kind:numbers)", "pays (to 1)", "ways", "house edge", "%")
    for column in (2, 3, 4):
        table.columns[column].justify = "right"
        table.columns[column].no_wrap = True
    by_wager = {edge.wager: edge for edge in edges}
    for section in layout.sections:
        # All but the wager's name: what makes two of them alike.
        alike = _grouped((by_wager[offer.wager][1:], offer.wager) for offer in section.offers)
        for wagers in alike.values():
            edge = by_wager[wagers[0]]
            texts = (_named(wagers), edge.odds, f"{edge.ways:,}", str(edge.edge), edge.percent)
            _row(table, *texts, style="bold red" if edge.edge <= 0 else "")
    return table
