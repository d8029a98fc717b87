// SPDX-License-Identifier: BSD-2-Clause
// What is installed as fxt/fxt.hpp, under that name for those who use it from the tree.
#include "../../fxt.hpp"
