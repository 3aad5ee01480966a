# Runs a command into a pipe that is closed before it prints, and prints its status.
{ sleep 1; "$@"; echo "status $?" >&2; } | true
