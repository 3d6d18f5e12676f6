"""The tokenizers of KerasHub's presets."""

from typing import Any

from zoo.errors import UserError

# Files in a Hugging Face checkpoint -> files in a preset.
ASSETS = {
    "vocab.txt": "assets/tokenizer/vocabulary.txt",
    "vocab.json": "assets/tokenizer/vocabulary.json",
    "merges.txt": "assets/tokenizer/merges.txt",
}
# Options that affect ids, and their only supported values, which are also the defaults.
SUPPORTED: dict[str, Any] = {
    "split": True,
    "split_on_cjk": True,
    "suffix_indicator": "##",
    "oov_token": "[UNK]",
    "special_tokens_in_strings": False,
    "sequence_length": None,
    "add_prefix_space": False,
}


def tokenizer_settings(config: dict[str, Any]) -> dict[str, Any]:
    """Converts the configuration of a tokenizer to that of a Hugging Face checkpoint.

    Raises:
        UserError: If it has an option that is not supported.
    """
    for key, value in SUPPORTED.items():
        if config.get(key, value) != value:
            raise UserError(
                f"the tokenizer's {key} = {config[key]!r:.40} is not supported; expected {value!r}"
            )
    return {
        "do_lower_case": bool(config.get("lowercase", False)),
        "strip_accents": bool(config.get("strip_accents", False)),
    }
