#!/usr/bin/env bash
# The man page knows every command and every option that the program's help shows.
#   check_man.sh PROGRAM SOURCE
set -eu
program=$1 page=$2/man/flexion.1.scd
bad=0
list=$("$program" --help)
for command in $(sed -n 's/^  \([a-z-]*\) .*/\1/p' <<<"$list") $(sed -n 's/^Also: \([a-z, -]*\)\..*/\1/p' <<<"$list" | tr -d ,); do
    grep -q "^\*$command\*" "$page" || { echo "the man page lacks the command $command"; bad=1; }
    for option in $("$program" "$command" --help | grep -oE '^  -[a-z]\b|--[a-z][a-z-]*' | tr -d ' ' | sort -u); do
        grep -q -- "\*$option\*\|[[|( ]$option[] |]" "$page" || { echo "the man page lacks $option of $command"; bad=1; }
    done
done
exit $bad
