# Completion of pilothouse for fish. Put this into ~/.config/fish/config.fish:
#     pilothouse completion fish | source
set -g __pilothouse_all @ALL@
set -g __pilothouse_valued @VALUED@

# Sets where we are ("plan_run"), and what was typed after that without options.
function __pilothouse_look
    set -g __pilothouse_where ''
    set -g __pilothouse_typed
    set -g __pilothouse_state
    set -l skip ''
    for word in (commandline -opc)[2..-1]
        if test -n "$skip"
            test $skip = --state; and set -g __pilothouse_state --state $word
            set skip ''
        else if string match -q -- '-*' $word
            contains -- $word $__pilothouse_valued; and set skip $word
        else
            set -l below $word
            test -n "$__pilothouse_where"; and set below "$__pilothouse_where"_"$word"
            if test (count $__pilothouse_typed) = 0; and contains -- $below $__pilothouse_all
                set -g __pilothouse_where $below
            else
                set -a __pilothouse_typed $word
            end
        end
    end
end

function __pilothouse_is -a where
    __pilothouse_look
    test "$__pilothouse_where" = "$where"
end

function __pilothouse_first -a where
    __pilothouse_is $where; and test (count $__pilothouse_typed) = 0
end

# From this positional on an instruction is typed.
function __pilothouse_says -a where at
    __pilothouse_is $where; and test (count $__pilothouse_typed) -ge $at
end

function __pilothouse_sentence -a at
    __pilothouse_look
    set -l said
    test (count $__pilothouse_typed) -gt $at; and set said $__pilothouse_typed[(math $at + 1)..-1]
    set -l current (commandline -ct | string trim -l -c '"\'' | string collect)
    pilothouse complete $__pilothouse_state --shell --quoted -- $said "$current" 2>/dev/null
end

complete -c pilothouse -e
