"""The completion script for bash, in place of Typer's."""

#: Bash splits words at `=` and `:`, which occur inside arguments of `airfair`. The script joins these words again, and
#: cuts from each candidate the part up to the last `=` or `:`, which is on the line already. No space follows a
#: candidate that is only the beginning of an argument.
SCRIPT = r"""
%(complete_func)s() {
    local IFS=$'\n' words=() word start last
    for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        last=$(( ${#words[@]} - 1 ))
        if (( last > 0 )) && [[ $word == [=:]* || ${words[last]} == *[=:] ]]; then
            words[last]+=$word
        else
            words+=("$word")
        fi
    done
    last=$(( ${#words[@]} - 1 ))
    word=${words[last]}
    COMPREPLY=( $( env COMP_WORDS="${words[*]}" COMP_CWORD=$last %(autocomplete_var)s=complete_bash $1 ) )
    start=${word%%"${word##*[=:]}"}
    COMPREPLY=( "${COMPREPLY[@]#"$start"}" )
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=.] ]]; then
        compopt -o nospace 2>/dev/null
    fi
    return 0
}

complete -o default -F %(complete_func)s %(prog_name)s
"""
