"""The count of shapes that a model is called with."""

from benchmarks.memory_of_shapes import grown


def test_shapes_are_counted_once():
    texts = ["a", "b c", "d e f"]
    seen = []
    rows = [*grown(seen.append, texts, 20, same=False)]
    shapes = {(len(batch), max(len(text.split()) for text in batch)) for batch in seen}
    assert [calls for calls, _, _ in rows] == [*range(0, 21, 2)]
    assert rows[-1][1] == len(shapes) > 1 and len(seen) == 21
    assert all(megabytes > 0 for _, _, megabytes in rows)


def test_one_batch_has_one_shape():
    assert {shapes for _, shapes, _ in grown(len, ["a", "b"], 20, same=True)} == {1}
