#compdef pilothouse
# Completion of pilothouse for zsh. Put this into ~/.zshrc, after compinit:  eval "$(pilothouse completion zsh)"
_pilothouse() {
    local where="" word skip="" quoted="" positionals=0 sentence=-1 i
    local -a flags valued choices described said options state
    _pilothouse_at
    for ((i = 2; i < CURRENT; i++)); do
        word="${(Q)words[i]}"
        if [[ -n $skip ]]; then
            [[ $skip == --state ]] && state=(--state "$word")
            skip=""
            continue
        fi
        if [[ $word == -* && $word != -- ]]; then
            ((${valued[(Ie)$word]})) && skip="$word"
            continue
        fi
        [[ $word == -- ]] && continue
        if ((positionals == 0 && ${_pilothouse_all[(Ie)${where:+${where}_}$word]})); then
            where="${where:+${where}_}$word"
            _pilothouse_at
            continue
        fi
        ((sentence >= 0 && positionals >= sentence)) && said+=("$word")
        ((positionals += 1))
    done
    if [[ -n $skip ]]; then
        _files
    elif [[ $PREFIX == -* ]]; then
        compadd -- $flags
    elif ((sentence >= 0 && positionals >= sentence)); then
        [[ -n $compstate[quote] ]] && quoted=--quoted
        word="$PREFIX"
        [[ -z $quoted ]] && word="${(Q)PREFIX}"
        options=("${(@f)$(pilothouse complete $state --shell $quoted -- "${said[@]}" "$word" 2>/dev/null)}")
        options=("${(@)options:#}")
        ((${#options})) || return 1
        if [[ -n $quoted ]]; then compadd -U -- "${options[@]}"; else compadd -U -Q -- "${options[@]}"; fi
    elif ((positionals == 0 && ${#described})); then
        _describe 'command' described
    elif ((positionals == 0 && ${#choices})); then
        compadd -- $choices
    else
        _files
    fi
}
typeset -ga _pilothouse_all
_pilothouse_all=(@ALL@)
_pilothouse_at() {
    flags=() valued=() choices=() described=() sentence=-1
    case "$where" in
@CASES@
    esac
}
compdef _pilothouse pilothouse
