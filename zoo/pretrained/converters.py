"""The families whose checkpoints are read and written."""

from zoo.pretrained import bart, bert, gpt2
from zoo.pretrained.converter import Family

FAMILIES: tuple[Family, ...] = (bert.FAMILY, gpt2.FAMILY, bart.FAMILY)
ARCHITECTURES = {name: family for family in FAMILIES for name in family.architectures}
