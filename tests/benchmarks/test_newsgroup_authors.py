"""The graph of authors: who wrote where, and with whom."""

import numpy as np

from benchmarks.newsgroup_authors import FEWEST, Post, graph_of, post_of


def test_the_graph_of_a_few_messages():
    bodies = ["carburetor gaskets", "penguin orbits", "carburetor orbits"]
    every = [
        *(Post("ann@x.org", "rec.autos", "brakes", body) for body in bodies),
        *(Post("bob@x.org", group, "brakes", bodies[0]) for group in ("sci.space",) * FEWEST),
        *(Post("cy@x.org", group, "moons", bodies[1]) for group in ("rec.autos",) * 2),
        Post("cy@x.org", "sci.space", "orbits", bodies[1]),
        Post("dan@x.org", "misc.forsale", "brakes", "two messages are too few"),
    ]
    graph = graph_of(iter(every))
    assert graph["classes"].tolist() == ["rec.autos", "sci.space"]
    assert graph["labels"].tolist() == [[1, 0], [0, 1], [1, 1]]
    assert graph["edges"].tolist() == [[0], [1]]
    masks = [graph[name] for name in ("train", "validation", "test")]
    assert np.sum(masks, axis=0).tolist() == [1, 1, 1]
    assert [int(mask.sum()) for mask in masks] == [2, 1, 0]
    known = {word for post in every[:9] for word in post.body.split()}
    assert 0 < graph["nodes"].shape[1] <= len(known)


def test_messages_without_an_address_or_a_subject_are_left_out():
    assert post_of("sci.med", "From: nobody\nSubject: Hi\n\nx") is None
    assert post_of("sci.med", "From: a@b.c\n\nSubject: in the body") is None
