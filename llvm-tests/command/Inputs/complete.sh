# Prints what a line is completed to: complete.sh FILE LINE
. "$1"
COMP_LINE=$2 COMP_POINT=${#2}
# As readline splits words: a = is one of its own.
read -ra COMP_WORDS <<< "${2//=/ = }"
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { :; }
_polyrs
printf '%s\n' "${COMPREPLY[@]}"
