# SPDX-License-Identifier: BSD-2-Clause
# Completion for bash of fxt and the programs that it runs. fxt itself knows what there is.

_fxt()
{
    local cur cword words=() candidate prefix typed
    local -a answer

    if declare -F _get_comp_words_by_ref >/dev/null; then
        # Words with : and = are not split.
        _get_comp_words_by_ref -n =: cur cword words
    else
        words=("${COMP_WORDS[@]}")
        cword=$COMP_CWORD
        cur=${words[cword]}
    fi
    # What was typed, without quotes.
    typed=${cur#[\"\']}
    typed=${typed//\\/}
    mapfile -t answer < <(fxt complete "${words[@]:0:cword}" "$typed" 2>/dev/null)
    # Of what follows a : or =, readline replaces only that.
    prefix=${cur%"${cur##*[:=]}"}
    COMPREPLY=()
    for candidate in "${answer[@]:1}"; do
        candidate=${candidate%%$'\t'*}
        if [[ $candidate == "$typed"* ]]; then
            if [[ $cur != [\"\']* ]]; then
                printf -v candidate %q "$candidate"
                candidate=${candidate//\\,/,}
            fi
            COMPREPLY+=("${candidate#"$prefix"}")
        fi
    done
    typed=${typed##--*=}
    case ${answer[0]} in
        files) compopt -o filenames && mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$typed") ;;
        directories) compopt -o filenames && mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$typed") ;;
        commands) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -c -- "$typed") ;;
    esac
}

complete -F _fxt @PROGRAMS@
