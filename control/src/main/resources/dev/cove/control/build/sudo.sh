#!/bin/sh
# A sandbox has no programs that change who runs them: nothing inside gets more rights than it was
# started with. So root stays root here, and whoever else asks is told how it goes.
if [ "$(id -u)" -ne 0 ]; then
  echo "sudo: programs in this sandbox cannot become root; have the command run as root from outside" \
    "(cove exec --user root, or user: 'root' in the SDK)" >&2
  exit 1
fi
user=root
while [ $# -gt 0 ]; do
  case $1 in
    -u | --user) user=$2; shift 2 || exit 1 ;;
    --user=*) user=${1#--user=}; shift ;;
    -E | -H | -n | -S | -k | -b | --preserve-env | --non-interactive | --set-home) shift ;;
    -i | -s | --login | --shell) shift; [ $# -gt 0 ] || set -- /bin/bash ;;
    --) shift; break ;;
    -*) echo "sudo: option $1 is not known here" >&2; exit 1 ;;
    *=*) export "$1"; shift ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || { echo "usage: sudo [-u user] command" >&2; exit 1; }
[ "$user" = root ] && exec "$@"
exec setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups "$@"
