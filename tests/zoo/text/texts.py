"""Texts the tokenizers are tested on."""

CORPUS = [
    "A man in a red hat, with a dog.",
    "Ein Mann mit rotem Hut und ein Hund.",
    'Two "young" men aren\'t far from the #1 house!',
    "Zwei junge Männer stehen nicht weit vom Haus; 23 Leute.",
    "the dog the dog the man the hat",
    "\tA\u00a0house,\u3000a hut\n",
]

# What an input may hold though no training text did.
HOSTILE = [
    "",
    " \t\r\n\v\f ",
    "  A   man \n in\ta hat ",
    "a\u00a0hat\u3000hut\u2009red",
    "dog😀dog 👩‍👩‍👧 red",
    "cafe\u0301 e\u0301 \u0301",
    "人が家にいる。",
    "[END] [PAD]man [UNK] ##s ##dog #",
    "a▁man ▁▁ ▁",
    "nul\x00byte \x00 \x7f \x1c\x1f",
    "\ufeffman \u200bman ma\u00adn",
    "x" * 5000,
    "donaudampfschifffahrtsgesellschaft" * 30,
    "😀" * 1500,
    "\U0010ffff \ud7ff",
]
