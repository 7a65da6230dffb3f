"""Route of the felt: a table's layout as the console draws it."""

from typing import Any

from fastapi import APIRouter, Request

from host_tools.api.bodies import TableName
from host_tools.api.guard import Asking, service_of
from host_tools.console.felt import felt
from host_tools.people import Deed

router = APIRouter(tags=["play"])


@router.get("/tables/{table}/layout")
async def get_layout(table: TableName, request: Request, person: Asking) -> dict[str, Any]:
    """The table's layout: panels of rows of wagers with their odds, and what its rulebook says."""
    person.require(Deed.WATCH)
    terms = service_of(request).table(table).settings.terms
    return felt(terms.rulebook, terms.layout.id)
