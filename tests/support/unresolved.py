# SPDX-License-Identifier: BSD-2-Clause
"""What fxtdump --json prints of references to strings and threads that were never
registered, as it prints them once a program has written others in their place: a string
with the text of the reference, and thread 0 of process 0."""


def named(value):
    if isinstance(value, dict):
        if list(value) == ["ref"]:
            return "#%d" % value["ref"]
        return {key: named(inner) for key, inner in value.items()}
    return [named(inner) for inner in value] if isinstance(value, list) else value


def resolved(one, drop):
    """A record without the members `drop`."""
    one = {key: value for key, value in one.items() if key not in drop}
    for key in [key for key in one if key.endswith("thread_ref")]:
        del one[key]
        side = key[: -len("thread_ref")]
        one.update({side + what: 0 for what in ("process", "thread") if side + what in one})
    return named(one)
