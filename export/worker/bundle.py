"""The bundle that LiteRT-LM runs: a LiteRT file, a tokenizer and metadata in one file."""

from __future__ import annotations

import json
from pathlib import Path

MAGIC = b"LITERTLM"  # the first bytes of a bundle


def main(job: dict) -> dict:
    """Writes a bundle.

    Args:
        job: "folder", which has `model.tflite`, `tokenizer.json` and `metadata.json`, and "out",
            the file to write.
    """
    from litert_lm_builder import litertlm_builder as builder

    folder, out = Path(job["folder"]), Path(job["out"])
    metadata = folder / "metadata.pb"
    metadata.write_bytes(_metadata(json.loads((folder / "metadata.json").read_text("utf-8"))))
    bundle = builder.LitertLmFileBuilder()
    author = builder.Metadata("Authors", "keras-attn", builder.DType.STRING)
    bundle.add_system_metadata(author)
    bundle.add_llm_metadata(str(metadata))
    bundle.add_hf_tokenizer(str(folder / "tokenizer.json"))
    bundle.add_tflite_model(str(folder / "model.tflite"), builder.TfLiteModelType.PREFILL_DECODE)
    with out.open("wb") as stream:
        bundle.build(stream, validate_metadata=True)
    return {}


def _metadata(facts: dict) -> bytes:
    """What LiteRT-LM has to know, as a protocol buffer."""
    from litert_lm_builder.runtime.proto import llm_metadata_pb2

    message = llm_metadata_pb2.LlmMetadata()
    for token in facts["stop_tokens"]:
        message.stop_tokens.add().token_ids.ids.append(token)
    if facts["start_token"] is not None:
        message.start_token.token_ids.ids.append(facts["start_token"])
    message.pad_token.token_ids.ids.append(facts["pad_token"])
    message.suppress_tokens.ids.extend(facts["suppressed_tokens"])
    message.max_num_tokens = facts["max_length"]
    message.llm_model_type.generic_model.SetInParent()
    if facts["chat_template"]:
        message.jinja_prompt_template = facts["chat_template"]
    message.supports_thinking = message.supports_function_calling = False
    return message.SerializeToString()


def is_bundle(source: object) -> bool:
    """Whether the content of a file is that of a bundle."""
    return isinstance(source, bytes) and source.startswith(MAGIC)


def litert_of(content: bytes) -> bytes:
    """The LiteRT file in a bundle; the content itself, where it is no bundle.

    Raises:
        ValueError: If a bundle has other parts than a model, a tokenizer and metadata.
    """
    if not is_bundle(content):
        return content
    from litert_lm_builder import litertlm_core
    from litert_lm_builder import litertlm_header_schema_py_generated as schema

    begin, place = (
        litertlm_core.HEADER_BEGIN_BYTE_OFFSET,
        litertlm_core.HEADER_END_LOCATION_BYTE_OFFSET,
    )
    end = int.from_bytes(content[place : place + 8], "little")
    header = schema.LiteRTLMMetaData.GetRootAs(content[begin:end], 0)
    parts = header.SectionMetadata()
    sections = [parts.Objects(number) for number in range(parts.ObjectsLength())]
    kinds = schema.AnySectionDataType
    wanted = (kinds.LlmMetadataProto, kinds.HF_Tokenizer_Zlib, kinds.TFLiteModel)
    if sorted(section.DataType() for section in sections) != sorted(wanted):
        raise ValueError("it has other parts than a model, a tokenizer and metadata")
    (model,) = (x for x in sections if x.DataType() == kinds.TFLiteModel)
    return content[model.BeginOffset() : model.EndOffset()]
