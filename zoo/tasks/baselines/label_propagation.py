"""Label propagation: the labels of nodes by a vote of their neighbors."""

import numpy as np

ITERATIONS = 30
PRODUCTS = 2_000_000_000  # maximum number of edges x labels x iterations


def propagated(
    labels: np.ndarray, known: np.ndarray, edges: np.ndarray, prior: np.ndarray
) -> np.ndarray:
    """The shares of labels around each node, from the nodes with a known label.

    One iteration is a vote of the neighbors. In each further one, neighbors that got shares in the
    one before it vote too.

    Source: Zhu et al. 2003, section 2 (harmonic functions, solved by iterations of Jacobi).
    Formula: `p_v = mean of p_u over neighbors u that have shares`; known ones do not change

    Args:
        labels: 0 or 1 for each label (N, C); rows that are not known are ignored.
        known: Which nodes have a known label (N,), of booleans.
        edges: Numbers of nodes (2, E); the node `edges[1, e]` is told by the node `edges[0, e]`.
        prior: Shares (C,) of nodes that no known node reaches.

    Returns:
        Shares (N, C).

    Example:
        >>> edges, known = np.array([[0, 1], [1, 2]]), np.array([True, False, False, False])
        >>> labels = np.array([[0, 1], [0, 0], [0, 0], [0, 0]])
        >>> propagated(labels, known, edges, np.array([0.9, 0.1]))[:, 1].tolist()
        [1.0, 1.0, 1.0, 0.1]
    """
    shares, informed = np.where(known[:, None], labels, 0.0), known.copy()
    iterations = min(ITERATIONS, max(1, PRODUCTS // max(1, edges.shape[1] * labels.shape[1])))
    count = len(labels)
    for _ in range(iterations):
        sources, targets = edges[:, informed[edges[0]]]
        votes = np.bincount(targets, minlength=count)
        told = (votes > 0) & ~known
        sums = [np.bincount(targets, column[sources], minlength=count) for column in shares.T]
        shares[told] = np.stack(sums, axis=1)[told] / votes[told, None]
        informed = known | told
    shares[~informed] = prior
    return shares
