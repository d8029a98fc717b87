# SPDX-License-Identifier: BSD-2-Clause
# Completion for fish of fxt and the programs that it runs. fxt itself knows what there is.

function __fxt_complete
    set -l typed (commandline -ct)
    set -l answer (fxt complete (commandline -opc) "$typed" 2>/dev/null)
    set -q answer[2]; and string join \n -- $answer[2..-1]
    set -l value (string replace -r -- '^--[^=]*=' '' "$typed")
    set -l begin (string replace -r -- '^(--[^=]*=)?.*$' '$1' "$typed")
    switch "$answer[1]"
        case files
            __fish_complete_path "$value" | string replace -r -- '^' "$begin"
        case directories
            __fish_complete_directories "$value" | string replace -r -- '^' "$begin"
        case commands
            __fish_complete_command
    end
end

for program in @PROGRAMS@
    complete -c $program -f -a '(__fxt_complete)'
end
