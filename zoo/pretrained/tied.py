"""The check of a checkpoint whose logits use the matrix of the embeddings."""

import numpy as np

from zoo.errors import UserError
from zoo.pretrained.checkpoint import Checkpoint


def check_tied(checkpoint: Checkpoint, embedding: str, head: str) -> None:
    """Refuses a checkpoint with a matrix for the logits that differs from the one it says to use.

    Args:
        checkpoint: The checkpoint, of which `config.json` says that both matrices are one.
        embedding: Name of the tensor of the embeddings.
        head: Name of the tensor of the logits, which is allowed as a copy of the embeddings.

    Raises:
        UserError: If there is such a tensor, and it differs.
    """
    if head not in checkpoint:
        return
    if not np.array_equal(checkpoint.tensor(head), checkpoint.tensor(embedding)):
        raise UserError(
            f"{checkpoint.folder}: {head} differs from {embedding}, although the model uses one "
            "matrix for both: tie_word_embeddings must be false, or the file is damaged"
        )
