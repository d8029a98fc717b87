#!/bin/sh
# Prints the version that include/fxt/version.h states, or with --soversion the shared
# library's. meson.build asks.
set -eu
header=$(dirname "$0")/../include/fxt/version.h
case ${1-} in
--soversion) sed -n 's/^#define FXT_SOVERSION \([0-9]*\)$/\1/p' "$header" ;;
*) sed -n 's/^#define FXT_VERSION_STRING "\([^"]*\)"$/\1/p' "$header" ;;
esac
