"""The page that searches documents in the browser, with an embedder and a reranker beside it."""

import json
from collections.abc import Sequence

import numpy as np

from zoo.page import template
from zoo.page.web_files import HEAD, IMPORTS, LITERT_JS, STATE, content_policy

EMBEDDER, RERANKER = "embedder", "reranker"  # folders of the models
LEAD = (
    "{count:,} documents. An embedder finds the {top} that are nearest to the query; a reranker "
    "reads each of them with the query, and sorts them. What you type stays here."
)


def search_files(
    documents: Sequence[str], vectors: np.ndarray, title: str, top: int
) -> dict[str, bytes]:
    """The files of the page, by name; the folders of the two models belong beside them.

    Args:
        documents: N documents.
        vectors: Their vectors of length 1, (N, D).
        title: Title of the page.
        top: How many documents the reranker reads.
    """
    page = template.fill(
        {"top": top},
        title,
        LEAD.format(count=len(documents), top=min(top, len(documents))),
        HEAD.format(policy=content_policy(), imports=IMPORTS),
        '<script type="module" src="search.js"></script>',
        STATE,
        "search.html",
    )
    needs = {"private": True, "dependencies": {"@litertjs/core": LITERT_JS}}
    texts = {
        "index.html": page,
        "page.css": template.style(),
        "search.js": template.part("search.js"),
        "model.js": template.part("model.js"),
        "package.json": json.dumps(needs, indent=2) + "\n",
        "documents.json": json.dumps([*documents], ensure_ascii=False) + "\n",
    }
    files = {name: text.encode() for name, text in texts.items()}
    return {**files, "vectors.bin": np.asarray(vectors, "<f4").tobytes()}
