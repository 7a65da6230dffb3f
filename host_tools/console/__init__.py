"""The console: a page of plain modules that the API serves as it lies here, and the felts that it draws."""

from pathlib import Path

PAGE = Path(__file__).with_name("page")
"""The folder to serve: `index.html` and what it loads."""

CONTENT_SECURITY_POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
"""What the page needs and no more: nothing inline, nothing from elsewhere."""
