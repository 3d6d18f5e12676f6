"""Bugs that are known: (case, check) -> what is wrong, in one sentence.

Each cell fails as long as its bug is there, and the run fails once it no longer does: a fix
deletes its line here. A check named `beside: ...` is a test of tests/tasks/test_beside.py.
"""

ALL = (
    "text_to_text", "causal_lm", "masked_lm", "denoising", "text_classifier", "token_tagger",
    "text_embedder", "multi_task",
)  # fmt: skip
BATCHED_BY_TOKENS = (
    "text_to_text", "text_classifier", "token_tagger", "text_embedder", "multi_task",
)  # fmt: skip
PLAIN_TEXT = ("causal_lm", "causal_lm_carried", "causal_lm_gpt2", "masked_lm", "masked_lm_bert")

# (what is wrong, check, cases)
BUGS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    # --- Reports ---
    (
        "a report reads pairs only, and refuses the text that the task learns from",
        "report",
        (*PLAIN_TEXT, "denoising"),
    ),
    ("a report reads pairs only, and refuses tagged words", "report", ("token_tagger",)),
    (
        "a report compares a vector with a text, which NumPy refuses",
        "report",
        ("text_embedder", "text_embedder_bert"),
    ),
    (
        "a report takes one file, by no name, of a task of several heads",
        "report",
        ("multi_task",),
    ),
    ("a report reads pairs only, and refuses a label", "report", ("text_classifier_pairs",)),
    # --- Artifacts ---
    (
        "what a file writes is compared with what the task writes, and its perplexity is not told",
        "score",
        ("causal_lm", "causal_lm_carried", "causal_lm_gpt2"),
    ),
    (
        "no exported file can be scored, as the task does not say how",
        "score",
        ("masked_lm", "masked_lm_bert", "denoising", "text_embedder", "text_embedder_bert"),
    ),
    (
        "a file that takes ids cannot be scored, as the signature of texts has no stages",
        "score",
        ("token_tagger",),
    ),
    (
        "what was padded to a bucket of lengths is not cut back in outputs that are as long",
        "XLA",
        ("masked_lm", "masked_lm_bert", "token_tagger"),
    ),
    (
        "a prompt is padded to a bucket that is longer than the positions of the model",
        "XLA",
        ("causal_lm",),
    ),
    (
        "the signature of texts does not tell its padding, and 0 means something",
        "XLA",
        ("causal_lm_gpt2", "text_to_text_bart"),
    ),
    # --- Options ---
    ("an unknown precision is taken, and fails in Keras later", "mistakes: precision", ALL),
    (
        "a length of another type meets a comparison before its type is looked at",
        "mistakes: length",
        ("text_to_text", "causal_lm", "denoising", "text_classifier", "token_tagger"),
    ),
    (
        "a text as the labels is taken apart into its letters",
        "mistakes: labels",
        ("text_classifier", "token_tagger"),
    ),
    (
        "labels that are no mapping fail as they are taken apart",
        "mistakes: labels",
        ("multi_task",),
    ),
    ("epochs of another type meet a comparison", "mistakes: fit epochs", ALL),
    ("a learning rate of another type meets a comparison", "mistakes: fit rate", ALL),
    ("a batch size of another type meets an operator", "mistakes: fit batch", ALL),
    (
        "the message about a batch of no tokens names tokens_per_batch, which is no option",
        "mistakes: fit no batch",
        ("text_to_text", "text_classifier", "multi_task"),
    ),
    (
        "a batch of no tokens is taken as one of a row",
        "mistakes: fit no batch",
        ("token_tagger", "text_embedder"),
    ),
    ("a batch of no windows is taken as the default", "mistakes: fit no batch", ("causal_lm",)),
    # --- The command line ---
    (
        "an option that other tasks have is looked at after the tokenizer was learned",
        "mistakes: command option of others",
        ALL,
    ),
    (
        "an option of several heads is looked at after the tokenizer was learned",
        "mistakes: command option of heads",
        ALL,
    ),
    # --- Beside the table ---
    (
        "a file pads its inputs with 0, which is a piece where padding is not",
        "beside: padding",
        ("text_classifier", "token_tagger", "text_embedder", "masked_lm"),
    ),
    (
        "batches are counted in a NumPy integer, which the folder of a run cannot keep",
        "beside: batches",
        ("token_tagger",),
    ),
    (
        "the first axis of every input is taken for the batch, also where it has a size",
        "beside: export",
        ("edges",),
    ),
)

KNOWN = {(case, check): what for what, check, cases in BUGS for case in cases}
