"""Zones of times: offsets, abbreviations and names."""

import re
from datetime import timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

# Hours to the east of Greenwich, of the abbreviations of RFC 822 and of Europe.
ZONES = {"z": 0, "utc": 0, "gmt": 0, "wet": 0, "cet": 1, "west": 1, "eet": 2, "cest": 2, "eest": 3}
ZONES |= {"est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7}


@lru_cache(maxsize=256)
def zone_of(text: str) -> tzinfo:
    """A zone by its offset, its abbreviation or its name.

    Raises:
        ValueError: If there is none.
    """
    lower = text.lower()
    if lower in ZONES:
        return timezone(timedelta(hours=ZONES[lower]))
    if "/" in text:
        try:
            return ZoneInfo(text)
        except Exception:  # of paths that are no names, too
            raise ValueError(f"unknown zone {text!r:.40}") from None
    match = re.fullmatch(r"(?:utc|gmt)?([+-])([\d:]+)", lower)
    if match is None:
        raise ValueError(f"unknown zone {text!r:.40}")
    sign, digits = match[1], match[2].replace(":", "")
    hours, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    return timezone(-offset if sign == "-" else offset)
