"""Baselines of nodes: a vote of the neighbors, the features alone, and what must not be seen."""

import numpy as np
import pytest

import zoo
from zoo.tasks.baselines import nodes as module
from zoo.tasks.baselines.nodes import propagated
from zoo.tasks.evaluation import baseline_scores
from zoo.tasks.fit import fit_baselines


def a_graph(seed=0, count=23):
    random = np.random.default_rng(seed)
    edges = np.unique(random.integers(0, count, (2, 40)), axis=1)
    labels = np.eye(3)[random.integers(0, 3, count)]
    known = random.random(count) < 0.4
    return labels, known, edges


def test_one_iteration_is_a_vote_of_the_neighbors(monkeypatch):
    monkeypatch.setattr(module, "ITERATIONS", 1)
    labels, known, edges = a_graph()
    prior = np.array([0.5, 0.3, 0.2])
    shares = propagated(labels, known, edges, prior)
    for node in range(len(labels)):
        voters = [labels[u] for u, v in edges.T if v == node and known[u]]
        expected = labels[node] if known[node] else np.mean(voters, axis=0) if voters else prior
        np.testing.assert_allclose(shares[node], expected)


def test_iterations_end_at_the_harmonic_function(monkeypatch):
    monkeypatch.setattr(module, "ITERATIONS", 3000)
    count = 9  # a path, so that every node is reached
    edges = np.array([[*range(count - 1), *range(1, count)], [*range(1, count), *range(count - 1)]])
    labels, known = np.zeros((count, 2)), np.zeros(count, bool)
    labels[0, 0] = labels[-1, 1] = 1
    known[[0, -1]] = True
    shares = propagated(labels, known, edges, np.array([0.5, 0.5]))
    np.testing.assert_allclose(shares[:, 1], np.arange(count) / (count - 1), atol=1e-6)


def two_groups(count=40, features=True):
    """Nodes of two groups on a ring each; every third one is to train on."""
    random = np.random.default_rng(1)
    ring = np.arange(count // 2)
    half = np.stack([ring, np.roll(ring, -1)])
    edges = np.concatenate([half, half + count // 2], axis=1)
    labels = np.array(["a", "b"]).repeat(count // 2)
    nodes = np.where(labels == "a", 1.0, -1.0)[:, None] + random.normal(size=(count, 3))
    part = np.arange(count) % 3
    masks = {"train": part == 0, "validation": part == 1, "test": part == 2}
    return zoo.Graph(nodes, edges, labels, **masks).undirected()


def test_a_classifier_of_nodes_is_evaluated_beside_them(tmp_path):
    graph = two_groups()
    task = zoo.NodeClassifier(hidden_dim=4, num_heads=1)
    task.fit(graph, epochs=1, xla=False, verbose=False)
    task.save(tmp_path)
    for each in (task, zoo.load(tmp_path)):
        scores = each.evaluate(graph)
        assert scores["label_propagation_accuracy"] == 1.0
        train, test = (getattr(graph, name) for name in ("train", "test"))
        means = [graph.nodes[train & (graph.labels == name)].mean(axis=0) for name in "ab"]
        deviations = graph.nodes[train].std(axis=0)
        scale = np.maximum(deviations, deviations.mean())
        away = [np.linalg.norm((graph.nodes[test] - mean) / scale, axis=1) for mean in means]
        nearest = np.array(["a", "b"])[np.argmin(away, axis=0)]
        expected = np.mean(nearest == graph.labels[test])
        assert scores["features_nearest_centroid_accuracy"] == pytest.approx(expected)


def test_training_validates_on_validation_nodes(tmp_path):
    graph = two_groups()
    task = zoo.NodeClassifier(hidden_dim=4, num_heads=1)
    task.adapt(graph)
    examples = task.read(graph)
    fit_baselines(task, examples)
    held_out = task.parts.format.own_validation(examples)
    assert [mask.sum() for mask in held_out.part("validation")] == [13]
    assert held_out.part_to_evaluate == "validation" and examples.part_to_evaluate == "test"
    np.testing.assert_array_equal(held_out.part("train")[0], graph.train)
    assert baseline_scores(task, held_out)["majority_accuracy"] == pytest.approx(
        max(np.mean(graph.labels[graph.validation] == name) for name in "ab"), abs=0.1
    )


def test_nodes_to_evaluate_do_not_vote():
    """Separate data without masks train and evaluate the same nodes: none is left to vote."""
    graph = two_groups()
    other = zoo.Graph(graph.nodes, graph.edges, graph.labels)
    task = zoo.NodeClassifier(hidden_dim=4, num_heads=1)
    task.fit(graph, epochs=1, xla=False, verbose=False)
    assert "label_propagation_accuracy" not in task.evaluate(other)
