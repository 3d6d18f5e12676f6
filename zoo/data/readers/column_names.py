"""The names of columns that the user gave, and how tables are read."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from zoo.data.readers.roles import Role

COLUMN = "_column"  # ends the options that name columns


@dataclass(frozen=True)
class ColumnNames:
    """The names of the columns that the user gave, by role; None for those to detect.

    In files without a header, they are numbers from 1. Each is an option of tasks:
    `label_column` is the name of the column of labels.

    Args:
        text: Texts.
        second: The second texts of pairs.
        label: Labels.
        weight: Weights of rows in the loss.
        score: Scores of pairs.
        query: Queries.
        negative: Passages that do not answer the queries.
        query_id: The ids of queries.
        source: Source texts; of graphs, the nodes where edges begin.
        target: Target texts; of graphs, the nodes where edges end; of series, the targets, with
            commas between.
        image: Paths of images.
        caption: Captions.
        question: Questions.
        passage: The passages that answer questions or queries, or have scores.
        answer: Answers.
        answer_start: The number of characters before each answer.
        audio: Paths of recordings.
        id: The ids of nodes.
        split: Which part of the data a node is in.
        word: Words.
        tag: The tags of words.
        time: Times.
        series: The names of series.
        value: Values of labeled series, with commas between.
        known: Covariates that are known in the future, with commas between.
        static: Static covariates, with commas between.
    """

    text: str | None = None
    second: str | None = None
    label: str | None = None
    weight: str | None = None
    score: str | None = None
    query: str | None = None
    negative: str | None = None
    query_id: str | None = None
    source: str | None = None
    target: str | None = None
    image: str | None = None
    caption: str | None = None
    question: str | None = None
    passage: str | None = None
    answer: str | None = None
    answer_start: str | None = None
    audio: str | None = None
    id: str | None = None
    split: str | None = None
    word: str | None = None
    tag: str | None = None
    time: str | None = None
    series: str | None = None
    value: str | None = None
    known: str | None = None
    static: str | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """The names that are among options.

        Example:
            >>> ColumnNames.of({"label_column": "stars", "epochs": 3}).label
            'stars'
        """
        names = {f"{each.name}{COLUMN}": each.name for each in fields(cls)}
        return cls(**{names[key]: value for key, value in options.items() if key in names})

    def by_role(self) -> dict[str, str]:
        """The names that the user gave, by role.

        Example:
            >>> ColumnNames(label="stars").by_role()
            {'label': 'stars'}
        """
        names = {each.name: getattr(self, each.name) for each in fields(self)}
        return {role: name for role, name in names.items() if name is not None}

    def given(self) -> list[str]:
        """All names that the user gave."""
        return list(self.by_role().values())


@dataclass(frozen=True)
class ReadOptions:
    """How a table is read.

    Args:
        names: The names of columns that the user gave.
        encoding: The encoding of texts without a byte order mark, by default UTF-8.
        skip_bad_rows: Whether to leave out invalid rows.
        more: The names of columns that have roles of their own, by role.
    """

    names: ColumnNames = ColumnNames()
    encoding: str | None = None
    skip_bad_rows: bool = False
    more: Mapping[str, str] = field(default_factory=dict)

    def by_role(self) -> dict[str, str]:
        """The names that the user gave, by role."""
        return {**self.names.by_role(), **self.more}

    def with_names(self, roles: Iterable[Role], **names: str | None) -> Self:
        """The same options, where columns have the names of their roles.

        Args:
            roles: The roles.
            **names: Other names of columns, by role; None for those to detect.
        """
        more = {role.name: role.name for role in roles}
        return replace(self, names=replace(self.names, **names), more={**self.more, **more})

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Those that are among the options of a task, by name.

        Example:
            >>> ReadOptions.of({"label_column": "stars", "epochs": 3}).names.label
            'stars'
        """
        skip = bool(options.get("skip_bad_rows", False))
        return cls(ColumnNames.of(options), options.get("encoding"), skip)


DEFAULT = ReadOptions()
