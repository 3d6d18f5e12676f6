"""Programs in LiteRT give what they give in TensorFlow, with built-in operators only."""

import numpy as np
import pytest

from tests.export.tensors import dynamic_tensors
from tests.zoo.text.programs.batches import as_bytes, as_rows, as_texts
from tests.zoo.text.programs.litert import converted
from tests.zoo.text.programs.test_tokenizers import MADE, check
from tests.zoo.text.texts import CORPUS, HOSTILE
from zoo.text.programs.program import TokenizerProgram

pytestmark = pytest.mark.thorough

LENGTH = 97


@pytest.fixture(scope="module", params=MADE)
def tokenizer(request):
    return MADE[request.param]()


def loaded(content):
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_content=content)
    encode, decode = map(interpreter.get_signature_runner, ("serving_default", "decode"))

    def encoded(text_bytes, lengths):
        actual = encode(text_bytes=text_bytes, text_lengths=lengths)
        return Array(actual["token_ids"]), Array(actual["counts"])

    def decoded(ids, counts):
        actual = decode(token_ids=ids, counts=counts)
        return actual["text_bytes"], actual["text_lengths"]

    return TokenizerProgram(encoded, decoded)


class Array(np.ndarray):
    """An array that can be asked for itself, as a tensor can."""

    def __new__(cls, x):
        return np.asarray(x).view(cls)

    def numpy(self):
        return np.asarray(self)


@pytest.mark.thorough(2)
def test_any_size(tokenizer):
    program = loaded(converted(tokenizer))
    for batch in (CORPUS, HOSTILE[:11], CORPUS[:1], ["", "a"], CORPUS * 3):
        check(tokenizer, program, batch)
        ids = tokenizer.tokenize(batch)
        text_bytes, lengths = program.decode(
            ids.to_tensor().numpy(), ids.row_lengths().numpy().astype("int32")
        )
        expected = tokenizer.detokenize(ids.to_tensor(tokenizer.special_tokens.pad))
        assert as_texts(text_bytes, lengths) == expected.numpy().tolist()


@pytest.mark.long
def test_one_size(tokenizer):
    content = converted(tokenizer, 1, LENGTH)
    assert not dynamic_tensors(content)
    program = loaded(content)
    for text in [*CORPUS, *HOSTILE[:11]]:
        text_bytes, lengths = as_bytes([text])
        padded = np.pad(text_bytes, [(0, 0), (0, LENGTH - text_bytes.shape[1])])
        ids, counts = (x.numpy() for x in program.encode(padded, lengths))
        assert as_rows(ids, counts) == tokenizer.tokenize([text]).to_list()
