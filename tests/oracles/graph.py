"""Graph attention in NumPy float64, one node at a time."""

import numpy as np


def segment_softmax(scores, segment_ids):
    weights = np.zeros(scores.shape)
    for segment in np.unique(segment_ids):
        at = segment_ids == segment
        shares = np.exp(scores[at] - scores[at].max(0))
        weights[at] = shares / shares.sum(0)
    return weights


def graph_attention(
    weights,
    nodes,
    edges,
    edge_features=None,
    aggregate="concat",
    negative_slope=0.2,
    use_bias=True,
    add_self_loops=False,
):
    """The outputs and the weights (E, H), or (E + N, H); `weights` in the layer's order."""
    kernel, source_attention, target_attention = weights[:3]
    hidden = np.einsum("nd,dhk->nhk", nodes, kernel)
    of_edges = np.zeros((edges.shape[1], hidden.shape[1]))
    if edge_features is not None:
        of_edges = edge_features @ weights[3]
    present = np.ones(edges.shape[1], bool)
    if add_self_loops:
        loops = np.tile(np.arange(len(nodes)), (2, 1))
        present = np.append(edges[0] != edges[1], np.ones(len(nodes), bool))
        of_edges = np.append(of_edges, np.zeros((len(nodes), hidden.shape[1])), axis=0)
        edges = np.append(edges, loops, axis=1)
    contexts, maps = np.zeros(hidden.shape), np.zeros((edges.shape[1], hidden.shape[1]))
    for t in range(len(nodes)):
        arriving = np.flatnonzero((edges[1] == t) & present)
        neighbours = hidden[edges[0, arriving]]  # (neighbours, H, K)
        if len(neighbours):
            scores = (source_attention * neighbours).sum(-1) + of_edges[arriving]
            scores = scores + (target_attention * hidden[t]).sum(-1)
            scores = np.where(scores > 0, scores, negative_slope * scores)
            shares = np.exp(scores - scores.max(0))
            maps[arriving] = shares / shares.sum(0)
            contexts[t] = np.einsum("eh,ehk->hk", maps[arriving], neighbours)
    output = contexts.mean(1) if aggregate == "mean" else contexts.reshape(len(nodes), -1)
    return (output + weights[-1] if use_bias else output), maps


def graph_batch(
    weights, nodes, edges, nodes_mask=None, edges_mask=None, edge_features=None, **chosen
):
    """The outputs (B, N, ...) of a padded batch: each graph without what is masked, alone."""
    outputs = []
    for b, (graph, ends) in enumerate(zip(nodes, edges, strict=True)):
        here = np.ones(len(graph), bool) if nodes_mask is None else nodes_mask[b]
        kept = np.ones(ends.shape[1], bool) if edges_mask is None else edges_mask[b]
        kept = kept & here[np.where(kept, ends, 0)].all(0)
        ends = ends[:, kept]
        own = None if edge_features is None else edge_features[b][kept]
        number = np.cumsum(here) - 1  # of a node among those that are left
        actual = graph_attention(weights, graph[here], number[ends], own, **chosen)[0]
        output = np.zeros((len(graph), actual.shape[1]))
        output[here] = actual
        outputs.append(output)
    return np.stack(outputs)
