# Runs cells of bash in this very shell, so that variables, functions and the folder last.
# Its own names begin with __cove; requests come on 3, what happens is told on 4.

__cove_tell() {
  printf '%s\n' "$*" >&4
}

__cove_pack() {
  local text
  text=$(printf '%s' "$1" | base64 -w 0)
  printf '%s' "${text:-=}"
}

__cove_unpack() {
  [ "$1" = = ] || printf '%s' "$1" | base64 -d
}

__cove_set() {
  local word pair name
  __cove_before=()
  for word in "$@"; do
    pair=$(__cove_unpack "$word"; printf x)
    pair=${pair%x}
    name=${pair%%=*}
    [[ $name =~ ^[A-Za-z_][A-Za-z0-9_]*$ ]] || continue
    if [ -n "${!name+x}" ]; then
      __cove_before+=("export $name=$(printf %q "${!name}")")
    else
      __cove_before+=("unset $name")
    fi
    export "$name=${pair#*=}"
  done
}

__cove_run() {
  eval "$1"
} 3<&- 4>&-

while true; do
  # While nothing runs an interrupt is too late, and while something does it ends that alone.
  trap '' INT
  IFS=' ' read -r -u 3 -a __cove_words || exit 0
  __cove_set "${__cove_words[@]:3}"
  __cove_code=$(__cove_unpack "${__cove_words[2]}"; printf x)
  __cove_interrupted=
  trap '__cove_interrupted=1; break 1000 2>/dev/null' INT
  while true; do
    __cove_run "${__cove_code%x}"
    __cove_status=$?
    break
  done
  trap '' INT
  if [ -n "$__cove_interrupted" ]; then
    __cove_tell error "$(__cove_pack Interrupted)" "$(__cove_pack 'The code was interrupted')" =
  elif [ "$__cove_status" -ne 0 ]; then
    __cove_tell error "$(__cove_pack ExitStatus)" "$(__cove_pack "$__cove_status")" \
      "$(__cove_pack "The last command ended with status $__cove_status")"
  fi
  for __cove_one in "${__cove_before[@]}"; do
    eval "$__cove_one"
  done
  __cove_tell done
done
