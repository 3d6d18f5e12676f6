"""Converts the plain-text formulas of docstrings to LaTeX."""

import re

SYMBOLS = {
    "<=": r"\leq ", ">=": r"\geq ", "!=": r"\neq ", "+-": r"\pm ", "//": r"/\!/ ", "*": r"\cdot ",
    " . ": r" \cdot ", "...": r"\ldots ", "…": r"\ldots ", "|": r"\vert ", "~": r"\sim ",
    "ᵀ": r"^{\top}", "σ": r"\sigma ", "π": r"\pi ", "sum": r"\sum ", "prod": r"\prod ",
    "alpha": r"\alpha ", "beta": r"\beta ", "tau": r"\tau ", "theta": r"\theta ", "in": r"\in ",
    "pi": r"\pi ",
}  # fmt: skip
WORDS = {"and", "else", "for", "if", "modulo", "or", "over", "where", "chosen"}
TOKEN = re.compile(
    r" \. |<=|>=|!=|\+-|//|\*\*|\.\.\.|\s+|\d+(?:\.\d+)?(?:e-?\d+)?|[A-Za-z]\u0303"
    r"|[A-Za-z]+(?:_[A-Za-z]+)*|."
)


def in_markdown(text: str) -> str:
    """Converts text in backticks to math, except single names; keeps everything else.

    Example:
        >>> in_markdown("`c_t = sum_s w_ts v_s`, t = 1 … T")
        '$`c_t=\\\\sum _s\\\\,w_{ts}\\\\,v_s`$, t = 1 … T'
    """

    def shown(match: re.Match) -> str:
        lone = re.fullmatch(r"[A-Za-z]{2,}(_[A-Za-z]{2,})*", match[1]) and match[1] not in SYMBOLS
        return match[0] if lone else f"$`{latex(match[1])}`$"

    return re.sub(r"`([^`]+)`", shown, text)


def latex(formula: str) -> str:
    """Converts one formula to LaTeX.

    Names of one letter are variables, and the part after an underscore is their index. Longer names
    are set upright, and keep an underscore that more than two letters follow.

    Raises:
        ValueError: If a bracket is not closed.

    Example:
        >>> latex("softmax_s(q_t . k_s / sqrt(K)) ** 2")
        '\\\\mathrm{softmax}_s(q_t \\\\cdot k_s/\\\\sqrt{K})^{2}'
    """
    tokens = TOKEN.findall(formula)
    out = ""
    while tokens:
        out += _atom(tokens, after=out)
    return out.strip()


def _atom(tokens: list[str], after: str = "") -> str:
    token = tokens.pop(0)
    if token == "sqrt" and tokens[:1] == ["("]:
        return rf"\sqrt{{{_group(tokens)}}}"
    if token == "**" or token == "^":
        return f"^{{{_script(tokens)}}}"
    if token == "_":
        return f"_{{{_script(tokens)}}}"
    if token.isspace():
        # Two adjacent terms are a product; around operators TeX adds its own spaces.
        if after.endswith((" }", "sum ", "prod ")):
            return ""
        both = re.search(r"[\w})\]'|]$", after) and tokens and re.match(r"[\w(\[|]", tokens[0])
        return r"\," if both and tokens[0] not in {*WORDS, "in"} else ""
    if token in WORDS:
        return rf"\text{{ {token} }}"
    if token in SYMBOLS:
        return SYMBOLS[token]
    if len(token) == 2 and token[1] == "\u0303":
        return rf"\tilde{{{token[0]}}}"
    return _name(token) if token[0].isalpha() else token


def _name(token: str) -> str:
    """Converts a variable, function or word, with its index."""
    base, _, index = token.rpartition("_")
    if not base or (len(index) > 2 and len(base) > 1):
        base, index = token, ""
    if base in SYMBOLS:
        shown = SYMBOLS[base]
    elif len(base) == 1:
        shown = base
    else:
        escaped = base.replace("_", r"\_")
        shown = rf"\mathrm{{{escaped}}}"
    if not index:
        return shown
    return f"{shown}_{index}" if len(index) == 1 else f"{shown}_{{{index}}}"


def _script(tokens: list[str]) -> str:
    """Converts a superscript or subscript: a group, or a single atom."""
    while tokens[0].isspace():
        tokens.pop(0)
    if tokens[0] in "({":
        return _group(tokens)
    sign = tokens.pop(0) if tokens[0] == "-" else ""
    first, _, index = tokens[0].partition("_")
    if index:  # c^h_t has one letter above, and one below
        tokens[:1] = [first, "_", index]
    if re.fullmatch("[A-Za-z]{2}", tokens[0]):  # two indices, not a name
        return tokens.pop(0)
    return sign + _atom(tokens)


def _group(tokens: list[str]) -> str:
    """Converts the text between a bracket and its closing bracket."""
    opened = tokens.pop(0)
    closed = {"(": ")", "{": "}"}[opened]
    depth, inner = 1, ""
    while tokens:
        depth += (tokens[0] == opened) - (tokens[0] == closed)
        if not depth:
            tokens.pop(0)
            return inner.strip()
        inner += _atom(tokens, after=inner)
    raise ValueError(f"'{opened}' is not closed in a formula")
