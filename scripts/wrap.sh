#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Prints a wrap file of Meson for an archive that `meson dist` made:
#
#     scripts/wrap.sh build/meson-dist/libfxt-VERSION.tar.xz [URL] >subprojects/libfxt.wrap
#
# Without the URL, where Meson would fetch it, the archive has to be in
# subprojects/packagefiles/.
set -eu
name=$(basename "$1")
hash=$(sha256sum "$1")
cat <<END
[wrap-file]
directory = ${name%.tar.*}
${2:+source_url = $2
}source_filename = $name
source_hash = ${hash%% *}

[provide]
dependency_names = libfxt, libfxtprofile, libfxtsampler, libfxtheap
END
