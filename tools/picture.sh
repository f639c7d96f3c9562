# A picture of the documentation in the style of all of them; sourced by the scripts that draw them.
picture() { # NAME, gnuplot's commands as input
    { cat <<END; cat; } | gnuplot
set terminal svg size 760,460 font "Helvetica,14" background "#ffffff"
set border 3 linewidth 0.8 linecolor rgb "#404040"
set tics nomirror out scale 0.6 textcolor rgb "#202020"
set grid linetype 1 linewidth 0.6 linecolor rgb "#e0e0e0"
set output "docs/img/$1.svg"
END
}
