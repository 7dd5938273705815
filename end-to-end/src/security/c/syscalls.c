/*
 * Tries what a sandbox must refuse, each attempt in a child of its own, and prints what came of it.
 * Lines: "denied mount EPERM", "allowed getpid OK". Arguments are such that without a filter most
 * calls would answer something other than EPERM, and none would do harm.
 */
#define _GNU_SOURCE
#include "sandboxed.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define X32 0x40000000L
#define INT80 (-1L)

struct attempt {
  const char *kind, *name;
  long number, a, b, c, d, e;
};

static char nothing[256];
#define P ((long)nothing)
#define TEXT(s) ((long)(s))

static const struct attempt attempts[] = {
    {"allowed", "getpid", SYS_getpid},
    {"allowed", "memfd_create", SYS_memfd_create, TEXT("x")},
    {"allowed", "open", SYS_openat, AT_FDCWD, TEXT("/dev/null"), O_RDWR},
    {"allowed", "fork", SYS_clone, SIGCHLD},
    {"allowed", "socket-unix", SYS_socket, AF_UNIX, SOCK_STREAM},
    {"allowed", "socket-inet", SYS_socket, AF_INET, SOCK_STREAM},
    {"allowed", "socket-inet6", SYS_socket, AF_INET6, SOCK_DGRAM},
    {"allowed", "socket-netlink-route", SYS_socket, AF_NETLINK, SOCK_RAW, 0},
    {"allowed", "personality-query", SYS_personality, 0xffffffff},

    {"denied", "mount", SYS_mount, TEXT("none"), TEXT("/tmp"), TEXT("tmpfs"), 0, 0},
    {"denied", "mount-bind", SYS_mount, TEXT("/"), TEXT("/tmp"), 0, 4096, 0},
    {"denied", "umount2", SYS_umount2, TEXT("/proc"), 2},
    {"denied", "pivot_root", SYS_pivot_root, TEXT("/"), TEXT("/")},
    {"denied", "chroot", SYS_chroot, TEXT("/tmp")},
    {"denied", "fsopen", SYS_fsopen, TEXT("tmpfs"), 0},
    {"denied", "fsconfig", SYS_fsconfig, -1, 0, 0, 0, 0},
    {"denied", "fsmount", SYS_fsmount, -1, 0, 0},
    {"denied", "fspick", SYS_fspick, AT_FDCWD, TEXT("/"), 0},
    {"denied", "move_mount", SYS_move_mount, -1, TEXT(""), -1, TEXT(""), 0},
    {"denied", "open_tree", SYS_open_tree, AT_FDCWD, TEXT("/"), 1},
    {"denied", "open_tree_attr", 467, AT_FDCWD, TEXT("/"), 1, 0, 0},
    {"denied", "mount_setattr", SYS_mount_setattr, AT_FDCWD, TEXT("/"), 0, P, 32},
    {"denied", "statmount", 457, P, P, 256, 0},
    {"denied", "listmount", 458, P, P, 1, 0},
    {"denied", "unshare-user", SYS_unshare, CLONE_NEWUSER},
    {"denied", "unshare-mount", SYS_unshare, CLONE_NEWNS},
    {"denied", "unshare-net", SYS_unshare, CLONE_NEWNET},
    {"denied", "unshare-cgroup", SYS_unshare, CLONE_NEWCGROUP},
    {"denied", "unshare-nothing", SYS_unshare, 0},
    {"denied", "setns", SYS_setns, -1, 0},
    {"denied", "clone-user", SYS_clone, SIGCHLD | CLONE_NEWUSER},
    {"denied", "clone-mount", SYS_clone, SIGCHLD | CLONE_NEWNS},
    {"denied", "clone-pid", SYS_clone, SIGCHLD | CLONE_NEWPID},
    {"denied", "clone-net", SYS_clone, SIGCHLD | CLONE_NEWNET},
    {"denied", "clone-ipc", SYS_clone, SIGCHLD | CLONE_NEWIPC},
    {"denied", "clone-uts", SYS_clone, SIGCHLD | CLONE_NEWUTS},
    {"denied", "clone-cgroup", SYS_clone, SIGCHLD | CLONE_NEWCGROUP},
    {"denied", "clone-high-bits", SYS_clone, 0x100000000L | SIGCHLD | CLONE_NEWUSER},
    {"absent", "clone3", SYS_clone3, P, 88},
    {"denied", "bpf", SYS_bpf, 0, P, 72},
    {"denied", "perf_event_open", SYS_perf_event_open, P, 0, -1, -1, 0},
    {"denied", "userfaultfd", SYS_userfaultfd, 1},
    {"denied", "io_uring_setup", SYS_io_uring_setup, 1, P},
    {"denied", "io_uring_enter", SYS_io_uring_enter, -1, 0, 0, 0, 0},
    {"denied", "io_uring_register", SYS_io_uring_register, -1, 0, 0, 0},
    {"denied", "add_key", SYS_add_key, TEXT("user"), TEXT("x"), TEXT("y"), 1, -2},
    {"denied", "request_key", SYS_request_key, TEXT("user"), TEXT("x"), 0, 0},
    {"denied", "keyctl", SYS_keyctl, 0, -3, 0},
    {"denied", "init_module", SYS_init_module, P, 0, P},
    {"denied", "finit_module", SYS_finit_module, -1, P, 0},
    {"denied", "delete_module", SYS_delete_module, TEXT("no-such-module"), O_NONBLOCK},
    {"denied", "kexec_load", SYS_kexec_load, 0, 0, P, 0},
    {"denied", "kexec_file_load", SYS_kexec_file_load, -1, -1, 0, 0, 0},
    {"denied", "open_by_handle_at", SYS_open_by_handle_at, AT_FDCWD, P, O_RDONLY},
    {"denied", "fanotify_init", SYS_fanotify_init, 0, 0},
    {"denied", "quotactl", SYS_quotactl, 0x800007 << 8, 0, 0, P},
    {"denied", "quotactl_fd", 443, -1, 0, 0, P},
    {"denied", "lookup_dcookie", SYS_lookup_dcookie, 0, P, 1},
    {"denied", "ioperm", SYS_ioperm, 0, 1, 1},
    {"denied", "iopl", SYS_iopl, 3},
    {"denied", "modify_ldt", SYS_modify_ldt, 0, P, 0},
    {"denied", "acct", SYS_acct, TEXT("/no/such/file")},
    {"denied", "swapon", SYS_swapon, TEXT("/no/such/file"), 0},
    {"denied", "swapoff", SYS_swapoff, TEXT("/no/such/file")},
    {"denied", "reboot", SYS_reboot, 0, 0, 0, 0},
    {"denied", "settimeofday", SYS_settimeofday, 1, 0},
    {"denied", "clock_settime", SYS_clock_settime, 0, 1},
    {"denied", "sethostname", SYS_sethostname, TEXT("other"), 5},
    {"denied", "setdomainname", SYS_setdomainname, TEXT("other"), 5},
    {"denied", "process_vm_readv", SYS_process_vm_readv, 1, P, 0, P, 0},
    {"denied", "process_vm_writev", SYS_process_vm_writev, 1, P, 0, P, 0},
    {"denied", "pidfd_getfd", SYS_pidfd_getfd, -1, 0, 0},
    {"denied", "kcmp", SYS_kcmp, 0, 0, 99, 0, 0},
    {"denied", "process_madvise", SYS_process_madvise, -1, P, 0, 0, 0},
    {"denied", "process_mrelease", 448, -1, 0},
    {"denied", "ptrace-traceme", SYS_ptrace, PTRACE_TRACEME, 0, 0, 0},
    {"denied", "ptrace-attach-agent", SYS_ptrace, PTRACE_ATTACH, 1, 0, 0},
    {"denied", "ptrace-seize-agent", SYS_ptrace, PTRACE_SEIZE, 1, 0, 0},
    {"denied", "syslog", SYS_syslog, 3, P, 0},
    {"denied", "vhangup", SYS_vhangup},
    {"denied", "uselib", SYS_uselib, TEXT("/no/such/file")},
    {"denied", "nfsservctl", SYS_nfsservctl, 0, 0, 0},
    {"denied", "sysfs", SYS_sysfs, 3},
    {"denied", "ustat", SYS_ustat, 0, P},
    {"denied", "personality-no-random", SYS_personality, ADDR_NO_RANDOMIZE},
    {"denied", "personality-read-implies-exec", SYS_personality, READ_IMPLIES_EXEC},
    {"denied", "mknod-device", SYS_mknodat, AT_FDCWD, TEXT("/tmp/device"), S_IFBLK | 0666,
     0x0800},
    {"denied", "ioctl-tiocsti", SYS_ioctl, 0, 0x5412, P},
    {"denied", "ioctl-tiocsti-high-bits", SYS_ioctl, 0, 0x100005412L, P},
    {"denied", "ioctl-tioclinux", SYS_ioctl, 0, 0x541C, P},
    {"denied", "ioctl-tiocsetd", SYS_ioctl, 0, 0x5423, P},
    {"denied", "socket-raw", SYS_socket, AF_INET, SOCK_RAW, 1},

    {"family", "packet", SYS_socket, AF_PACKET, SOCK_RAW, 0},
    {"family", "packet-high-bits", SYS_socket, 0x100000000L | AF_PACKET, SOCK_RAW, 0},
    {"family", "alg", SYS_socket, AF_ALG, SOCK_SEQPACKET, 0},
    {"family", "vsock", SYS_socket, AF_VSOCK, SOCK_STREAM, 0},
    {"family", "key", SYS_socket, AF_KEY, SOCK_RAW, 2},
    {"family", "bluetooth", SYS_socket, AF_BLUETOOTH, SOCK_RAW, 1},
    {"family", "can", SYS_socket, AF_CAN, SOCK_RAW, 1},
    {"family", "tipc", SYS_socket, 30, SOCK_STREAM, 0},
    {"family", "rds", SYS_socket, AF_RDS, SOCK_SEQPACKET, 0},
    {"family", "xdp", SYS_socket, 44, SOCK_RAW, 0},
    {"family", "smc", SYS_socket, 43, SOCK_STREAM, 0},
    {"family", "netlink-netfilter", SYS_socket, AF_NETLINK, SOCK_RAW, 12},
    {"family", "netlink-audit", SYS_socket, AF_NETLINK, SOCK_RAW, 9},
    {"family", "netlink-uevent", SYS_socket, AF_NETLINK, SOCK_RAW, 15},
    {"family", "netlink-generic", SYS_socket, AF_NETLINK, SOCK_RAW, 16},
    {"family", "pair-tipc", SYS_socketpair, 30, SOCK_STREAM, 0, P},

    {"absent", "x32-getpid", X32 | SYS_getpid},
    {"absent", "x32-unshare", X32 | SYS_unshare, CLONE_NEWUSER},
    {"absent", "x32-bpf", X32 | SYS_bpf, 0, P, 72},
    {"absent", "number-1000", 1000},
    {"killed", "int80-getpid", INT80, 20},
    {"killed", "int80-unshare", INT80, 310, CLONE_NEWUSER},
    {"killed", "int80-keyctl", INT80, 288, 0, -3},
};

static long int80(long number, long a, long b) {
#ifdef __x86_64__
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(0) : "memory");
  if (result < 0 && result > -4096) {
    errno = (int)-result;
    return -1;
  }
  return result;
#else
  raise(SIGSYS);
  return -1;
#endif
}

static void report(const struct attempt *at, const char *result) {
  printf("%s %s %s\n", at->kind, at->name, result);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
    const struct attempt *at = &attempts[i];
    int answer[2];
    if (pipe(answer) < 0) return 2;
    pid_t child = fork();
    if (child < 0) return 3;
    if (child == 0) {
      pid_t self = getpid();
      long result = at->number == INT80
                        ? int80(at->a, at->b, at->c)
                        : syscall(at->number, at->a, at->b, at->c, at->d, at->e);
      int error = result < 0 ? errno : 0;
      if (getpid() != self) _exit(0); /* the child of a clone that worked */
      if (write(answer[1], &error, sizeof error) < 0) _exit(4);
      _exit(0);
    }
    close(answer[1]);
    int error, status;
    ssize_t n = read(answer[0], &error, sizeof error);
    close(answer[0]);
    waitpid(child, &status, 0);
    if (n == sizeof error)
      report(at, error == 0 ? "OK" : strerrorname_np(error));
    else if (WIFSIGNALED(status))
      report(at, WTERMSIG(status) == SIGSYS ? "SIGSYS" : strsignal(WTERMSIG(status)));
    else
      report(at, "VANISHED");
  }
  return 0;
}
