"""The command that draws the pictures of the lectures again.

python -m docs.lectures.pictures              # all, in some minutes
python -m docs.lectures.pictures alignment    # one of them
"""

import os
import sys
import time

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

from docs.lectures.pictures import (
    captions,
    convolutions,
    coreference,
    ctc,
    documents,
    fast,
    graphs,
    pretraining,
    quantization,
    recurrence,
    scores,
    self_attention,
    spatial,
    transformer,
)

PICTURES = {
    "normalizers": scores.normalizers,
    "alignment": scores.alignment,
    "heads": self_attention.heads,
    "masks": self_attention.masks,
    "positions": self_attention.positions,
    "warmup": transformer.warmup,
    "surprise": pretraining.surprise,
    "coreference": coreference.coreference,
    "conv-layers": convolutions.layers,
    "sampled": spatial.sampled,
    "gradients": recurrence.gradients,
    "ctc-lattice": ctc.lattice,
    "ctc-peaks": ctc.peaks,
    "captions": captions.captions,
    "documents": documents.documents,
    "graph": graphs.graph,
    "fast": fast.fast,
    "quantization": quantization.quantization,
}


def main(names: list[str]) -> None:
    """Draws the named pictures, or all."""
    for name in names or PICTURES:
        if name not in PICTURES:
            sys.exit(f"There is no picture {name!r}. There are: {', '.join(PICTURES)}.")
        start = time.monotonic()
        PICTURES[name]()
        print(f"{name}: {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
