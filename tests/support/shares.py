# SPDX-License-Identifier: BSD-2-Clause
"""How far a share of samples may be from the share of CPU time that it stands for."""

import math

# What is not chance: a signal that comes in the kernel is seen when it returns, a timer's
# interrupt when interrupts are let in again.
SYSTEMATIC = 0.02
# In so many standard deviations chance is not seen: once in 16,000 times.
DEVIATIONS = 4


def allowed(share, n, missing=0.0):
    """`n` samples, independent of each other; `missing` is how much of the CPU time, as the
    kernel has it, made no sample, and may all have been of one kind."""
    chance = DEVIATIONS * math.sqrt(share * (1 - share) / n)
    return SYSTEMATIC + chance + missing


def missing_part(cpu_ns, n, period_ns, n_late=0):
    """Of the CPU time that threads took, what samples do not stand for, nor the periods that
    a thread was in when it lost its CPU: half of each is lost on average, but wherever the
    thread was, so that it only makes fewer samples. What is left, such as the time of other
    virtual machines, may have been of one kind."""
    return max(0.0, 1 - (n + n_late / 2) * period_ns / cpu_ns)


def independent(samples):
    """How many samples have the same deviations as these, of which some are copies: of a
    stack that stood for several periods, and was written several times at once."""
    weights, last = [], {}
    for sample in samples:
        before = last.get(sample['thread'])
        last[sample['thread']] = sample
        if (before is not None and before['pcs'] == sample['pcs'] and
                sample['time_ns'] - before['time_ns'] < 10000):
            weights[-1] += 1
        else:
            weights.append(1)
    return sum(weights) ** 2 / sum(weight ** 2 for weight in weights)
