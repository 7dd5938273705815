#!/bin/sh
# A sandbox has no programs that change who runs them: nothing inside gets more rights than it was
# started with. Here everybody may have the agent run something as somebody else, which /etc/cove/sudo says.
user=root
while [ $# -gt 0 ]; do
  case $1 in
    -u | --user) user=$2; shift 2 || exit 1 ;;
    -u*) user=${1#-u}; shift ;;
    --user=*) user=${1#--user=}; shift ;;
    -E | -H | -n | -S | -k | -nE | -En | -EH | -HE | --preserve-env | --preserve-env=* | --non-interactive | --set-home | --stdin) shift ;;
    -v | --validate | -K) exit 0 ;;
    -l | --list) echo "everybody in this sandbox may run everything as everybody"; exit 0 ;;
    -i | -s | --login | --shell)
      shift
      if [ $# -gt 0 ]; then set -- /bin/bash -c "$*"; else set -- /bin/bash; fi
      break ;;
    --) shift; break ;;
    -*) echo "sudo: option $1 is not known here" >&2; exit 1 ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || { echo "usage: sudo [-u user] [NAME=value ...] command" >&2; exit 1; }
case $1 in *=*) set -- env "$@" ;; esac
[ "$(id -u)" -eq 0 ] && [ "$user" = root ] && exec "$@"
exec /dev/cove/cove-sudo "$user" "$@"
