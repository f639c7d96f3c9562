#!/usr/bin/env bash
# Numbers become text and text becomes numbers in src/base/number.c alone, letters are told apart by
# src/base/letters.h: no other file of the library, or of what the program draws, calls what depends on the locale.
#   tools/check_text.sh LIBRARY OBJECT...    (the static one)
set -eu
foreign='(__)?(v?(s|sn|f|d|as)?printf|v?(s|f)?scanf|isoc99_v?(s|f)?scanf)(_chk)?'
foreign+='|(__)?(strto(d|f|ld)|atof|strn?casecmp|strcoll|strerror|strftime|setlocale|localeconv)'
foreign+='|(to|is)[a-z]*(upper|lower|alpha|alnum|space|print|cntrl|punct|digit|xdigit)|__ctype_(b|tolower|toupper)_loc'

found=$(nm -A -u "$@" | sed -nE "s/^.*[:\/]([^:\/]+)\.o: +U ($foreign)(@.*)?$/\1 calls \2/p" |
    grep -vE '^number\.c ' || true)
[ -z "$found" ] || echo "what depends on the locale belongs into base/number.c or base/letters.h:"$'\n'"$found"
[ -z "$found" ]
