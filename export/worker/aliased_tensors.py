"""Tensors that have two names, where runtimes of fixed shapes know one."""

from __future__ import annotations


def tensors_of_two_names(content: bytes) -> list[str]:
    """The outputs of a LiteRT file that share a tensor with another output, or with an input.

    The interpreter copies a tensor to each of its names. `CompiledModel`, LiteRT in C and LiteRT.js
    know one of the names, and lack the others.

    Args:
        content: The content of the file.

    Returns:
        A pair of names for each such output, after that of its signature.
    """
    from ai_edge_litert import schema_py_generated as schema

    model = schema.Model.GetRootAs(content, 0)
    aliases = []
    for each in range(model.SignatureDefsLength()):
        signature = model.SignatureDefs(each)
        names: dict[int, str] = {}
        inputs = [signature.Inputs(index) for index in range(signature.InputsLength())]
        outputs = [signature.Outputs(index) for index in range(signature.OutputsLength())]
        for tensor in inputs + outputs:
            name, number = tensor.Name().decode(), tensor.TensorIndex()
            if number in names:
                aliases.append(f"{signature.SignatureKey().decode()}: {names[number]} and {name}")
            names.setdefault(number, name)
    return aliases
