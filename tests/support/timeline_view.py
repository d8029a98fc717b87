# SPDX-License-Identifier: BSD-2-Clause
"""What a timeline says, whatever its format."""
import collections


def koid(shown, name):
    """A process's or a thread's own number: where that was replaced it is in the name."""
    head, _, tail = name.rpartition("[")
    return int(tail[:-1]) if head and tail[:-1].isdigit() and tail[-1:] == "]" else int(shown)


class View:
    """All times are nanoseconds since the first sample or event; a thread is the koids of
    its process and its own.

    names: by thread, the names of its process and its own
    shown: by thread, the ids that viewers get
    samples: (time, thread, functions root first, weight)
    spans: (thread, begin, end, name), with times off the CPU, and what was dropped
    asyncs: (process, id, begin, end, name)
    instants: (thread, time, name)
    flows: (thread, time, id, whether it ends)
    flow_keys: of each of these, what viewers join it by
    counters: by process and name, (time, value)"""

    def __init__(self):
        self.names, self.shown = {}, {}
        self.samples, self.spans, self.asyncs, self.instants, self.flows = [], [], [], [], []
        self.flow_keys = []
        self.counters = collections.defaultdict(list)

    def fold(self):
        """By thread, how often each stack was seen."""
        found = collections.defaultdict(collections.Counter)
        for _, thread, stack, weight in self.samples:
            found[thread][stack] += weight
        return dict(found)

    def spans_of(self, thread):
        return sorted((begin, -end, name) for of, begin, end, name in self.spans if of == thread)


def self_and_total(stacks):
    """Of each function; one that is in a stack twice counts once."""
    own, total = collections.Counter(), collections.Counter()
    for stack, count in stacks.items():
        own[stack[-1]] += count
        for function in set(stack):
            total[function] += count
    return own, total
