"""Questions in the format of SQuAD, as rows of a table."""

from typing import Any


def squad_rows(document: Any) -> list[dict[str, Any]] | None:
    """The questions of a JSON document in the format of SQuAD 1.1 or 2.0; None if it is another.

    Source: Rajpurkar et al. 2016; Rajpurkar et al. 2018 for questions without an answer. The
        columns are those of the tables of both at Hugging Face.

    Args:
        document: The document.

    Returns:
        For each question `id`, `title`, `context`, `question` and `answers`, an object of `text`
        and `answer_start`. What a question lacks is left out.

    Example:
        >>> question = {"question": "Who?", "answers": [{"text": "Ann", "answer_start": 0}]}
        >>> document = {"data": [{"paragraphs": [{"context": "Ann sings.", "qas": [question]}]}]}
        >>> squad_rows(document)[0]["answers"]
        {'text': ['Ann'], 'answer_start': [0]}
    """
    articles = document.get("data") if isinstance(document, dict) else None
    if not isinstance(articles, list) or not any("paragraphs" in _object(x) for x in articles):
        return None
    rows = []
    for article in map(_object, articles):
        for paragraph in map(_object, _list(article.get("paragraphs"))):
            for asked in map(_object, _list(paragraph.get("qas"))):
                answers = [_object(x) for x in _list(asked.get("answers"))]
                row = {
                    "id": asked.get("id", ""),
                    "title": article.get("title", ""),
                    "context": paragraph.get("context"),
                    "question": asked.get("question"),
                    "answers": {
                        "text": [each.get("text") for each in answers],
                        "answer_start": [each.get("answer_start") for each in answers],
                    },
                }
                rows.append(row)
    return rows


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
