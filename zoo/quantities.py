"""Durations and sizes in words."""


def duration(seconds: float) -> str:
    """Formats a duration given in seconds.

    Example:
        >>> duration(42.4), duration(754), duration(7500)
        ('42 s', '12 min 34 s', '2 h 05 min')
    """
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 1:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest} s"


def size(count: float) -> str:
    """Formats a size given in bytes.

    Example:
        >>> size(512), size(1_234_567)
        ('512 B', '1.2 MB')
    """
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
