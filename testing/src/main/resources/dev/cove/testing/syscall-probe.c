/*
 * Tries system calls and prints "name answer" per line, where the answer is "ok", an errno or
 * "signal N". Arguments are chosen so that a call that gets through does no harm.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(const char *name, long result) {
  if (result >= 0) printf("%s ok\n", name);
  else printf("%s %s\n", name, strerrorname_np(errno));
  fflush(stdout);
}

#define TRY(name, ...) (errno = 0, tell(name, syscall(__VA_ARGS__)))

/* In a child, because a refusal may be a signal. */
static void tell_child(const char *name, int (*body)(void)) {
  pid_t pid = fork();
  if (pid == 0) _exit(body());
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFSIGNALED(status)) printf("%s signal %d\n", name, WTERMSIG(status));
  else if (WEXITSTATUS(status) == 0) printf("%s ok\n", name);
  else printf("%s %s\n", name, strerrorname_np(WEXITSTATUS(status)));
  fflush(stdout);
}

#if defined(__x86_64__)
/* getpid by the 32-bit entry, from 64-bit code: no 32-bit program is needed to reach it. */
static int by_int80(void) {
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
  return result < 0 ? (int)-result : 0;
}

static int by_x32(void) {
  long result = syscall(0x40000000 | SYS_getpid);
  return result < 0 ? errno : 0;
}
#endif

static int namespace_clone(void) {
  long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);
  if (pid == 0) _exit(0);
  return pid < 0 ? errno : 0;
}

static int plain_clone(void) {
  long pid = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
  if (pid == 0) _exit(0);
  return pid < 0 ? errno : 0;
}

static int bind_port_80(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(80)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  return bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ? errno : 0;
}

int main(void) {
  tell_child("bind-port-80", bind_port_80);
  tell_child("clone", plain_clone);
  tell_child("clone-newuser", namespace_clone);
#if defined(__x86_64__)
  tell_child("int80", by_int80);
  tell_child("x32", by_x32);
#endif
  TRY("clone3", 435, NULL, 0);
  TRY("unshare-user", SYS_unshare, CLONE_NEWUSER);
  TRY("unshare-mount", SYS_unshare, CLONE_NEWNS);
  TRY("setns", SYS_setns, -1, 0);
  TRY("mount", SYS_mount, "none", "/nowhere", "tmpfs", 0, NULL);
  TRY("umount2", SYS_umount2, "/nowhere", 0);
  TRY("pivot_root", SYS_pivot_root, "/nowhere", "/nowhere");
  TRY("chroot", SYS_chroot, "/nowhere");
  TRY("open_tree", 428, -1, "/nowhere", 0);
  TRY("move_mount", 429, -1, "", -1, "", 0);
  TRY("fsopen", 430, "tmpfs", 0);
  TRY("fsconfig", 431, -1, 0, NULL, NULL, 0);
  TRY("fsmount", 432, -1, 0, 0);
  TRY("fspick", 433, -1, "/nowhere", 0);
  TRY("mount_setattr", 442, -1, "", 0, NULL, 0);
  TRY("bpf", SYS_bpf, 0, NULL, 0);
  TRY("perf_event_open", SYS_perf_event_open, NULL, 0, -1, -1, 0);
  TRY("userfaultfd", SYS_userfaultfd, 0);
  TRY("io_uring_setup", 425, 1, NULL);
  TRY("io_uring_enter", 426, -1, 0, 0, 0, NULL, 0);
  TRY("io_uring_register", 427, -1, 0, NULL, 0);
  TRY("add_key", SYS_add_key, "user", "cove", "x", 1, -3);
  TRY("request_key", SYS_request_key, "user", "cove", NULL, -3);
  TRY("keyctl", SYS_keyctl, 0, -3, 0);
  TRY("init_module", SYS_init_module, NULL, 0, "");
  TRY("finit_module", SYS_finit_module, -1, "", 0);
  TRY("delete_module", SYS_delete_module, "none", 0);
  TRY("kexec_load", SYS_kexec_load, 0, 0, NULL, 0);
  TRY("open_by_handle_at", SYS_open_by_handle_at, -1, NULL, 0);
  TRY("fanotify_init", SYS_fanotify_init, 0, 0);
  TRY("quotactl", SYS_quotactl, 0, NULL, 0, NULL);
  TRY("acct", SYS_acct, "/nowhere");
  TRY("swapon", SYS_swapon, "/nowhere", 0);
  TRY("swapoff", SYS_swapoff, "/nowhere");
  TRY("reboot", SYS_reboot, 0, 0, 0, NULL);
  TRY("settimeofday", SYS_settimeofday, NULL, NULL);
  TRY("clock_settime", SYS_clock_settime, -1, NULL);
  TRY("process_vm_readv", SYS_process_vm_readv, getpid(), NULL, 0, NULL, 0, 0);
  TRY("process_vm_writev", SYS_process_vm_writev, getpid(), NULL, 0, NULL, 0, 0);
  TRY("pidfd_getfd", 438, -1, 0, 0);
  TRY("kcmp", SYS_kcmp, getpid(), getpid(), 0, 0, 0);
  TRY("process_madvise", 440, -1, NULL, 0, 0, 0);
  TRY("ptrace", SYS_ptrace, PTRACE_TRACEME, 0, 0, 0);
  TRY("syslog", SYS_syslog, 2, NULL, 0);
  TRY("vhangup", SYS_vhangup);
  TRY("sethostname", SYS_sethostname, "x", 1);
  TRY("name_to_handle_at", SYS_name_to_handle_at, -1, "", NULL, NULL, 0);
  TRY("personality", SYS_personality, 0xffffffff);
  TRY("personality-no-random", SYS_personality, 0x0040000);
  TRY("ioctl-tiocsti", SYS_ioctl, 0, 0x5412, "x");
  TRY("ioctl-tioclinux", SYS_ioctl, 0, 0x541c, "x");
  TRY("unknown", 1000);
  TRY("socket-unix", SYS_socket, AF_UNIX, SOCK_STREAM, 0);
  TRY("socket-inet", SYS_socket, AF_INET, SOCK_STREAM, 0);
  TRY("socket-inet6", SYS_socket, AF_INET6, SOCK_DGRAM, 0);
  TRY("socket-netlink-route", SYS_socket, AF_NETLINK, SOCK_RAW, 0);
  TRY("socket-netlink-audit", SYS_socket, AF_NETLINK, SOCK_RAW, 9);
  TRY("socket-inet-raw", SYS_socket, AF_INET, SOCK_RAW, 1);
  TRY("socket-packet", SYS_socket, AF_PACKET, SOCK_RAW, 0);
  TRY("socket-alg", SYS_socket, 38, SOCK_SEQPACKET, 0);
  TRY("socket-vsock", SYS_socket, 40, SOCK_STREAM, 0);
  TRY("mknod-fifo", SYS_mknodat, AT_FDCWD, "/tmp/probe-fifo", S_IFIFO | 0600, 0);
  TRY("mknod-device", SYS_mknodat, AT_FDCWD, "/tmp/probe-kmsg", S_IFCHR | 0600, makedev(1, 11));
  return 0;
}
