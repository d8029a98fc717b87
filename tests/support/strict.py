# SPDX-License-Identifier: BSD-2-Clause
"""What readers of several formats share: JSON without what JSON does not have, and
numbers of protocol buffers."""
import json


def refuse(constant):
    raise AssertionError(constant + " is no JSON")


def once(pairs):
    """A key that is there twice would hide a value."""
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), keys
    return dict(pairs)


def read_json(text, **options):
    return json.loads(text, parse_constant=refuse, object_pairs_hook=once, **options)


def varint(data, at):
    """The number at this place, in as few bytes as it needs, and the place after it."""
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            assert value < 2**64 and (data[at - 1] != 0 or shift == 7), "not the shortest"
            return value, at
