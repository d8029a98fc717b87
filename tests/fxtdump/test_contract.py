#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What fxtdump(1) promises of --json, sentence by sentence.

    test_contract.py FXTDUMP

Every case is a sentence, an input, and the objects that must come out, written by hand:
all keys in their order. The reference reader has to agree, too.
"""
import sys
import tempfile

import contract
import contract_conventions  # noqa: F401
import contract_damage  # noqa: F401
import contract_examples  # noqa: F401
import contract_records  # noqa: F401


def main():
    n_failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for sentence, *rest in contract.CASES:
            found = contract.judge(sys.argv[1], folder, sentence, *rest)
            if found:
                n_failed += 1
                print("FAILED: %s\n    %s" % (sentence, "\n    ".join(found)))
    print("%d cases, %d failed" % (len(contract.CASES), n_failed))
    return int(n_failed > 0)


if __name__ == "__main__":
    sys.exit(main())
