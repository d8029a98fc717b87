# SPDX-License-Identifier: BSD-2-Clause
"""Which stacks there can be in the samples of examples/kernel: what calls what. A frame
that is missing, or one too many, makes a pair that does not stand here."""

# What an interrupt finds: these run with interrupts on.
THREADS = {
    "kernel_main": {None},
    "kernel_secondary": {None},
    "run_session": {"kernel_main"},
    "session_start": {"run_session"},
    "session_stop": {"run_session"},
    "drain_open": {"run_session"},
    "work_until_taken": {"run_session"},
    "drain_until_taken": {"run_session"},
    "have_taken": {"work_until_taken", "drain_until_taken"},
    "drain_all": {"drain_until_taken"},
    "drain": {"drain_all"},
    "drain_has_room": {"drain_until_taken"},
    "fxt_ring_read": {"drain_all"},
    "fxt_ring_move_": {"drain_all", "fxt_ring_read"},
    "fxt_ring_whole_words_": {"drain_all", "fxt_ring_read", "fxt_ring_move_"},
    "fxt_ring_find_end_": {"drain_all", "fxt_ring_read", "fxt_ring_move_"},
    "session_look": {"session_start", "kernel_secondary"},
    "work_round": {"work_until_taken", "drain_until_taken", "kernel_secondary"},
    "compile": {"work_round"},
    "link": {"work_round"},
    "parse": {"compile"},
    "optimise": {"compile"},
    "fold": {"optimise"},
}
# And these are what the watchdog finds of the tick.
TICK = {
    "kernel_tick": {"ENTRY"},
    "run_timers": {"kernel_tick"},
}
BOTH = {
    "spin": {"parse", "fold", "link", "run_timers"},
    "session_set_tick": {"session_look", "kernel_tick"},
    "choose_time": {"session_set_tick"},
    "arch_set_tick": {"session_set_tick"},
}
CALLERS = {**THREADS, **TICK, **BOTH}

# The way from the interrupted function to kernel_tick.
ENTRIES = {
    "aarch64": ["interrupt_entry", "aarch64_interrupt", "handle_tick"],
    "riscv64": ["tick_entry"],
    "s390x": ["interrupt_entry", "s390x_interrupt", "handle_tick"],
    "x86_64": ["tick_entry"],
}

# Of instructions.
ALIGNMENT = {"aarch64": 4, "riscv64": 4, "s390x": 2, "x86_64": 1}


def interrupted(machine, stack):
    """What was interrupted first of a stack's functions: the last of the thread's."""
    entry = ENTRIES[machine][0]
    return stack[stack.index(entry) - 1] if entry in stack else stack[-1]


def check_calls(stack):
    """Whether each function of a stack, root first, is called by the one before it."""
    for caller, function in zip([None] + stack, stack):
        assert caller in CALLERS.get(function, ()), "%s calls %s in %s" % (
            caller, function, ";".join(stack))


def check(machine, stack, is_watchdog):
    """A stack of functions, root first, that an interrupt has found."""
    entry = ENTRIES[machine]
    at = next((i for i, name in enumerate(stack) if name in entry), len(stack))
    check_calls(stack[:at])
    assert not set(stack[:at]) & set(TICK), "a tick with no entry: %s" % ";".join(stack)
    if at == len(stack):
        return
    assert is_watchdog, "the tick's own frames: %s" % ";".join(stack)
    assert at > 0, "nothing was interrupted: %s" % ";".join(stack)
    inner = stack[at:]
    assert inner[:len(entry)] == entry[:len(inner)], ";".join(stack)
    rest = inner[len(entry):]
    if rest:
        assert rest[0] == "kernel_tick", ";".join(stack)
        for caller, function in zip(rest, rest[1:]):
            assert caller in CALLERS.get(function, ()), ";".join(stack)
