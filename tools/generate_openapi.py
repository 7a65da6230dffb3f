"""Writes docs/openapi.json, the API's description; with --check it only says whether it is stale."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "firmware")]

from generated_files import bring_up_to_date, is_check  # noqa: E402

from host_tools.api.app import make_app  # noqa: E402


def main(arguments):
    check = is_check("generate_openapi.py", arguments)
    text = json.dumps(make_app(None).openapi(), indent=1, sort_keys=True) + "\n"
    bring_up_to_date("generate_openapi.py", {"docs/openapi.json": text}, check)


if __name__ == "__main__":
    main(sys.argv[1:])
