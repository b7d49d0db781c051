# Completion of pilothouse for bash. Put this into ~/.bashrc:  eval "$(pilothouse completion bash)"
_pilothouse() {
    local current="${COMP_WORDS[COMP_CWORD]}" where="" word skip="" positionals=0 i
    local flags="" words="" valued="" sentence=-1
    local -a said=() state=()
    COMPREPLY=()
    _pilothouse_at
    for ((i = 1; i < COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        if [[ -n $skip ]]; then
            [[ $skip == --state ]] && state=(--state "$word")
            skip=""
            continue
        fi
        if [[ $word == -* && $word != -- ]]; then
            [[ " $valued " == *" $word "* ]] && skip="$word"
            continue
        fi
        [[ $word == -- ]] && continue
        if ((positionals == 0)) && [[ " $_pilothouse_all " == *" ${where:+${where}_}$word "* ]]; then
            where="${where:+${where}_}$word"
            _pilothouse_at
            continue
        fi
        if ((sentence >= 0 && positionals >= sentence)); then
            word="${word//\\/}"; word="${word#[\"\']}"; word="${word%[\"\']}"
            said+=("$word")
        fi
        ((positionals++))
    done
    if [[ -n $skip ]]; then
        compopt -o default 2>/dev/null
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$current")
    elif ((sentence >= 0 && positionals >= sentence)); then
        local quoted=""
        [[ $current == [\"\']* ]] && quoted=--quoted
        current="${current#[\"\']}"
        [[ -z $quoted ]] && current="${current//\\/}"
        mapfile -t COMPREPLY < <(
            pilothouse complete "${state[@]}" --shell $quoted -- "${said[@]}" "$current" 2>/dev/null
        )
    elif ((positionals == 0)) && [[ -n $words ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    else
        compopt -o default 2>/dev/null
    fi
}
_pilothouse_all="@ALL@"
_pilothouse_at() {
    flags="" words="" valued="" sentence=-1
    case "$where" in
@CASES@
    esac
}
complete -F _pilothouse pilothouse
