#compdef @PROGRAMS@
# SPDX-License-Identifier: BSD-2-Clause
# Completion for zsh of fxt and the programs that it runs. fxt itself knows what there is.

local line candidate kind
local -a answer candidates shown

# Words are as they were typed, with their quotes.
answer=("${(@f)$(fxt complete "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
kind=$answer[1]
for line in "${(@)answer[2,-1]}"; do
    candidate=${line%%$'\t'*}
    candidates+=("$candidate")
    if [[ $line == *$'\t'* ]]; then
        shown+=("$candidate  -- ${line#*$'\t'}")
    else
        shown+=("$candidate")
    fi
done
(( $#candidates )) && compadd -l -d shown -a candidates
[[ $PREFIX == --*=* ]] && compset -P '*='
case $kind in
    files) _files ;;
    directories) _files -/ ;;
    commands) _command_names -e ;;
esac
