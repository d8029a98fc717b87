/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that uses the other FxT. */
#include <fxt/fxt.h>

int main(void)
{
    return other_fxt_version() != 2;
}
