# SPDX-License-Identifier: BSD-2-Clause
"""Names that tell functions of one name apart, as in "helper (a.c)" and "helper (b.c)": by what
else is in a report, so that those of a part of a profile can be shorter than those of all."""

import collections
import re


def own_name(name):
    """Without what tells it apart."""
    return re.sub(r" \([^()]+\)$", "", name) if name else name


def in_part(part, whole):
    """Names of a part, as they are in a report of all: the names that a report of that part has."""
    n_whole = collections.Counter(own_name(name) for name in set(whole))
    n_part = collections.Counter(own_name(name) for name in set(part))
    return {name: own_name(name)
            if n_whole[own_name(name)] > 1 and n_part[own_name(name)] == 1 else name
            for name in part}
