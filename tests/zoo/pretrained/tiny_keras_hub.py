"""Small models of KerasHub with random weights, large enough to make all logits differ."""

import numpy as np

from zoo.text.byte_bpe import byte_characters

MERGES = ["h e", "Ġ t", "Ġt he"]
PIECES = [*byte_characters().values(), "he", "Ġt", "Ġthe"]
WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] the hu ##t ##s ! a man é 你 . ss".split()
WITH_MASK = [*WORDS, "[", "mask", "]"]  # so that "[MASK]" in a text is found
SIZES = {"num_layers": 2, "num_heads": 3, "hidden_dim": 21, "intermediate_dim": 17}


def bert(lowercase=True, num_classes=5, **options):
    import keras_hub.models as hub

    tokenizer = hub.BertTokenizer(WORDS, lowercase=lowercase, **options)
    backbone = hub.BertBackbone(len(WORDS), max_sequence_length=13, **SIZES)
    preprocessor = hub.BertTextClassifierPreprocessor(tokenizer, sequence_length=11)
    return jittered(hub.BertTextClassifier(backbone, num_classes, preprocessor))


def bert_masked_lm(scale=1.0):
    """A masked LM. The smaller the scale of its head, the more the head's epsilon matters."""
    import keras_hub.models as hub

    tokenizer = hub.BertTokenizer(WITH_MASK, lowercase=True)
    backbone = hub.BertBackbone(len(WITH_MASK), max_sequence_length=13, **SIZES)
    preprocessor = hub.BertMaskedLMPreprocessor(tokenizer, sequence_length=11)
    model = jittered(hub.BertMaskedLM(backbone, preprocessor))
    for weight in model.masked_lm_head._intermediate_dense.weights:
        weight.assign(weight * scale)
    return model


def gpt2():
    import keras_hub.models as hub

    vocabulary = _ids([*PIECES, "<|endoftext|>"])
    backbone = hub.GPT2Backbone(len(vocabulary), max_sequence_length=43, **SIZES)
    tokenizer = hub.GPT2Tokenizer(vocabulary, MERGES)
    preprocessor = hub.GPT2CausalLMPreprocessor(tokenizer, sequence_length=41)
    return jittered(hub.GPT2CausalLM(backbone, preprocessor))


def bart():
    import keras_hub.models as hub

    vocabulary = _ids(["<s>", "<pad>", "</s>", "<unk>", *PIECES, "<mask>"])
    backbone = hub.BartBackbone(len(vocabulary), max_sequence_length=23, **SIZES)
    preprocessor = hub.BartSeq2SeqLMPreprocessor(
        hub.BartTokenizer(vocabulary, MERGES),
        encoder_sequence_length=23,
        decoder_sequence_length=19,
    )
    return jittered(hub.BartSeq2SeqLM(backbone, preprocessor))


def jittered(model):
    """The model with random weights, which prefers bytes that are characters."""
    numbers = np.random.default_rng(3)
    for weight in model.weights:
        if "float" in str(weight.dtype):
            offset = 1 if weight.path.endswith("gamma") else 0
            weight.assign(offset + numbers.normal(0, 0.5, weight.shape))
    table = model.backbone.token_embedding.embeddings
    if table.shape[0] > len(PIECES):
        first = table.shape[0] - len(PIECES) - 1  # of the bytes
        rare = [first + byte for byte in range(256) if not 0x20 < ord(PIECES[byte]) < 0x7F]
        table.assign(np.where(np.isin(np.arange(table.shape[0]), rare)[:, None], 0, table))
    return model


def _ids(vocabulary):
    return {piece: number for number, piece in enumerate(vocabulary)}
