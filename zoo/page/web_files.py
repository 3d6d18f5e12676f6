"""The files of a page that runs a LiteRT file in the browser."""

import json
from collections.abc import Mapping
from typing import Any

from zoo.page import template
from zoo.report.policy import digest

ONE_FILE = "one_file.mjs"  # writes the page and all that it needs into one file
LITERT_JS = "2.5.3"  # version of @litertjs/core
IMPORTS = json.dumps(
    {
        "imports": {
            name: f"./node_modules/{name}/dist/index.js"
            for name in ("@litertjs/core", "@litertjs/wasm-utils")
        }
    }
)
HEAD = """\
<!-- The import map may be changed only together with its sha256 in this policy. -->
<meta http-equiv="Content-Security-Policy" content="{policy}">
<link rel="stylesheet" href="page.css">
<link rel="icon" href="data:,">
<script type="importmap">{imports}</script>"""
STATE = (
    '<span class="late">This page needs JavaScript and a web server: run '
    "<code>python -m http.server</code> in its folder, and open <code>localhost:8000</code>. "
    "<code>npm run one-file</code> there writes a page that opens without.</span>"
)


def page_files(facts: Mapping[str, Any], title: str, lead: str) -> dict[str, str]:
    """The files of a page by name: HTML, style, scripts, and what npm has to install and to run.

    Args:
        facts: What the scripts know of the model, as JSON types.
        title: Its title.
        lead: What the model is for.
    """
    page = template.fill(
        facts,
        title=title,
        lead=lead,
        head=HEAD.format(policy=content_policy(), imports=IMPORTS),
        scripts='<script type="module" src="page.js"></script>',
        state=STATE,
    )
    needs = {
        "private": True,
        "scripts": {"one-file": f"node {ONE_FILE}"},
        "dependencies": {"@litertjs/core": LITERT_JS},
    }
    return {
        "index.html": page,
        "page.css": template.style(),
        "page.js": template.script() + template.part("web.js"),
        "model.js": template.part("model.js"),
        ONE_FILE: template.part(ONE_FILE),
        "package.json": json.dumps(needs, indent=2) + "\n",
    }


def content_policy() -> str:
    """The Content-Security-Policy of a page that loads its own files only."""
    return (
        "default-src 'none'; style-src 'self'; connect-src 'self'; img-src data: blob:; "
        f"media-src blob:; script-src 'self' 'wasm-unsafe-eval' {digest(IMPORTS)}; "
        "base-uri 'none'; form-action 'none'"
    )
