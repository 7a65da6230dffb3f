"""`tumbler rules`: the rulebooks, a layout with the clause of every rule, the exact house edges."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from host_tools.rulebooks import Layout, Rulebook
    from host_tools.rulebooks.odds import Edge

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

    rulebooks = list_rulebooks()
    if as_json:
        for rulebook in rulebooks:
            print(json.dumps(_header(rulebook)))
        return
    table = _table("Rulebooks", "rulebook", "effective, play", "layouts", "limits")
    for column in (0, 2, 3):
        table.columns[column].no_wrap = True
    for rulebook in rulebooks:
        table.add_row(
            f"[bold]{rulebook.id}[/]\n{_cut(rulebook.title)}\n[dim]{_cut(rulebook.operator)}[/]",
            f"{rulebook.effective}\n{_play(rulebook)}",
            "\n".join(rulebook.layouts),
            "\n".join(rulebook.limits) or "-",
            end_section=True,
        )
    _console().print(table)


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

    with _usage_errors():
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

    with _usage_errors():
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
            _print_audit(book, each, edges, applicable)
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
def _usage_errors() -> Iterator[None]:
    """Turn what the user got wrong into its message on standard error and exit status 2."""
    from host_tools.rulebooks import (  # noqa: PLC0415
        RulebookError,
        UnknownLayoutError,
        UnknownRulebookError,
    )
    from host_tools.rulebooks.odds import DecksError  # noqa: PLC0415

    try:
        yield
    except (RulebookError, UnknownRulebookError, UnknownLayoutError, DecksError, OSError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from error


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
        "closing": vars(rulebook.closing),
        "referral": {"to": rulebook.referral, "clause": rulebook.referral_clause},
        "sections": [
            {
                "kind": section.kind,
                "title": section.title,
                "wins": section.wins,
                "clause": section.condition.clause,
                "wagers": [
                    {
                        "wager": offer.wager,
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
                "maxima": {wager: odds_text(limits.maxima[wager]) for wager in layout.offers},
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
    from rich import box  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    return Table(
        *columns, title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
    )


def _cut(text: str) -> str:
    return text if len(text) <= 34 else f"{text[:33]}…"


def _play(rulebook: "Rulebook") -> str:
    if rulebook.decks:
        return f"cards, {rulebook.decks.minimum} to {rulebook.decks.maximum} decks"
    least = rulebook.minimum_tumbles
    return f"{rulebook.play_mode}, at least {least} tumble{'s' if least > 1 else ''}"


def _show(rulebook: "Rulebook", layout: "Layout", console: "Console") -> None:
    console.print(f"[bold]{rulebook.title}[/]  {layout.title}")
    console.print(f"{rulebook.operator}, {rulebook.jurisdiction}; effective {rulebook.effective}")
    console.print(f"rulebook {rulebook.id}, layout {layout.id} (clause {layout.clause})")
    if layout.note:
        console.print(f"[dim]{layout.note}[/]")
    console.print(f"play: {_play(rulebook)} (clauses {rulebook.play_clause}; {rulebook.tumbles_clause})")
    if rulebook.decks:
        console.print(
            f"a deck has {rulebook.decks.each_face} cards of each face (clause {rulebook.decks.clause})"
        )
    closing = rulebook.closing
    console.print(
        f"bets close when {closing.when} (clause {closing.clause}); "
        f"later wagers: {closing.late_clause}; withdrawn wagers: {closing.withdrawn_clause}\n"
    )
    console.print(_wager_table(layout))
    if rulebook.limits:
        console.print(_limits_table(rulebook, layout))
    irregularities = _table("Irregularities", "fact", "ruling", "clause", "note")
    for ruling in rulebook.irregularities.values():
        styled = f"[{_ACTION_STYLES[ruling.action]}]{ruling.action}[/]"
        irregularities.add_row(ruling.fact, styled, ruling.clause, ruling.note)
    console.print(irregularities)
    console.print(f"refer: to {rulebook.referral} (clause {rulebook.referral_clause})")
    console.print(f"[dim]SHA-256 of the rulebook's file: {rulebook.digest}[/]")


def _wager_table(layout: "Layout") -> Any:
    """The sections in the layout's order; wagers that are paid alike share a line."""
    from host_tools.rulebooks.odds import offer_odds_text  # noqa: PLC0415

    table = _table("Wagers", "section", "wagers", "pays (to 1)", "clause", "wins when", "clause")
    for section in layout.sections:
        alike: dict[tuple[str, str], list[str]] = {}
        for offer in section.offers:
            alike.setdefault((offer_odds_text(offer), offer.odds_clause), []).append(offer.wager)
        for number, ((odds, clause), wagers) in enumerate(alike.items()):
            first = number == 0
            table.add_row(
                f"[bold]{section.title}[/]" if first else "",
                " ".join(wagers),
                f"[green]{odds}[/]",
                clause,
                section.wins if first else "",
                section.condition.clause if first else "",
                end_section=number == len(alike) - 1,
            )
    return table


def _limits_table(rulebook: "Rulebook", layout: "Layout") -> Any:
    from host_tools.rulebooks.odds import odds_text  # noqa: PLC0415

    limits = list(rulebook.limits.values())
    clauses = ", ".join(dict.fromkeys(each.clause for each in limits))
    table = _table(f"Stake limits (clause {clauses})", "wagers", *(each.id for each in limits))
    table.add_row("least stake", *(odds_text(each.minimum) for each in limits))
    alike: dict[tuple[str, ...], list[str]] = {}
    for wager in layout.offers:
        alike.setdefault(tuple(odds_text(each.maxima[wager]) for each in limits), []).append(wager)
    for maxima, wagers in alike.items():
        table.add_row("most on " + " ".join(wagers), *maxima)
    return table


def _print_audit(rulebook: "Rulebook", layout: "Layout", edges: list["Edge"], decks: int | None) -> None:
    """One table a layout; wagers of a section with the same odds and edge share a line."""
    game = f", {decks or rulebook.decks.maximum} decks" if rulebook.decks else ""
    title = f"{rulebook.id}  {layout.id}: house edge{game}, of {edges[0].of:,} outcomes"
    table = _table(title, "section", "wagers", "pays (to 1)", "ways", "house edge", "%")
    for column in (3, 4, 5):
        table.columns[column].justify = "right"
    by_wager = {edge.wager: edge for edge in edges}
    for section in layout.sections:
        alike: dict[tuple[str, int, str, str], list[str]] = {}
        for offer in section.offers:
            edge = by_wager[offer.wager]
            alike.setdefault((edge.odds, edge.ways, str(edge.edge), edge.percent), []).append(offer.wager)
        for number, ((odds, ways, fraction, percent), wagers) in enumerate(alike.items()):
            style = "bold red" if fraction.startswith("-") else "none"
            table.add_row(
                f"[bold]{section.title}[/]" if number == 0 else "",
                wagers[0]
                if len(wagers) == 1
                else f"{' '.join(wagers)}"
                if len(wagers) < 7
                else f"all {len(wagers)}",
                odds,
                f"{ways:,}",
                f"[{style}]{fraction}[/]",
                f"[{style}]{percent}[/]",
            )
    _console().print(table)
