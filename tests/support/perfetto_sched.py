# SPDX-License-Identifier: BSD-2-Clause
"""What Perfetto's trace processor makes of the Linux kernel's events sched_switch and
sched_waking: the tables sched_slice (what each CPU ran) and thread_state, by its rules."""
import collections

# Without the kernel's version, bits from 0x40 on are those of Linux 4.4.
STATES = ((1, "S"), (2, "D"), (4, "T"), (8, "t"), (16, "X"), (32, "Z"), (0x40, "x"),
          (0x80, "K"), (0x100, "W"), (0x200, "P"), (0x400, "N"))
CPUS_MAX = 1024
INTERRUPT = 8 | 16


class Slice:
    def __init__(self, begin, cpu, tid, priority):
        self.begin, self.end, self.cpu, self.tid = begin, None, cpu, tid
        self.priority, self.end_state = priority, None


class State:
    def __init__(self, begin, tid, state, cpu=None, waker=None, of_interrupt=None):
        self.begin, self.end, self.tid, self.state, self.cpu = begin, None, tid, state, cpu
        self.waker, self.of_interrupt = waker, of_interrupt


def state_name(number):
    if number & 0x800:
        assert number == 0x800
        return "R+"
    return "".join(name for bit, name in STATES if number & bit) or "R"


class Tables:
    """slices, states; names: of threads, by their events; mismatched and lost: how many
    switches contradict the one before them, on a CPU and of a thread."""

    def __init__(self, bundles):
        self.slices, self.states, self.names = [], [], {}
        self.mismatched = self.lost = self.last = 0
        self.pending, self.running, self.open = {}, {}, {}
        events = []
        for bundle in bundles:
            assert bundle["cpu"] < CPUS_MAX, "the load fails"
            events += [(event["timestamp"], bundle["cpu"], event) for event in bundle["event"]]
        # All of one time: those of a CPU, in the order of the file, after each other.
        events.sort(key=lambda one: one[:2])
        for time, cpu, event in events:
            self.last = time
            if "sched_switch" in event:
                self.switch(time, cpu, event, event["sched_switch"])
            else:
                self.waking(time, event, event["sched_waking"])

    def name(self, tid, comm):
        assert len(comm.encode()) <= 15
        self.names[tid] = comm

    def switch(self, time, cpu, event, switch):
        prev, following = switch["prev_pid"], switch["next_pid"]
        assert event["pid"] == prev and "common_flags" not in event
        assert 0 <= prev < 2**31 and 0 <= following < 2**31
        self.name(prev, switch["prev_comm"])
        self.name(following, switch["next_comm"])
        state = state_name(switch["prev_state"])
        if cpu in self.pending:
            if self.pending[cpu].tid == prev:
                self.pending[cpu].end, self.pending[cpu].end_state = time, state
            else:
                self.mismatched += 1
        self.pending[cpu] = Slice(time, cpu, following, switch["next_prio"])
        self.slices.append(self.pending[cpu])
        before = self.open.get(prev)
        if before is not None and before.state != "Running":
            self.lost += 1
        elif before is not None:
            before.end = time
        self.add(State(time, prev, state))
        if following in self.open:
            self.open[following].end = time
        self.add(State(time, following, "Running", cpu))

    def waking(self, time, event, waking):
        tid, flags = waking["pid"], event.get("common_flags", 0)
        self.name(tid, waking["comm"])
        state = State(time, tid, "R", None, event["pid"], bool(flags & INTERRUPT))
        if tid in self.open:
            if self.open[tid].state in ("R", "Running"):
                return
            self.open[tid].end = time
        self.add(state)

    def add(self, state):
        """The idle thread has no states."""
        if state.tid != 0:
            self.states.append(state)
            self.open[state.tid] = state

    # ---- sums, of which what has no end lasts until the last event ----

    def length(self, row):
        return (self.last if row.end is None else row.end) - row.begin

    def by_thread(self):
        """For each thread, how long it was in each state."""
        found = collections.defaultdict(collections.Counter)
        for row in self.states:
            found[row.tid][row.state] += self.length(row)
        return found

    def by_cpu(self):
        """For each CPU, how long it ran each thread."""
        found = collections.defaultdict(collections.Counter)
        for row in self.slices:
            found[row.cpu][row.tid] += self.length(row)
        return found
