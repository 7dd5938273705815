/*
 * The system call filter: an allow-list as a bitmap. First the ABI is checked (the i386 entry is
 * live on most x86-64 kernels), then the few calls whose arguments decide, then one bit per call.
 * A refused call answers EPERM; one newer than this list ENOSYS, so that a C library falls back.
 */
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#else
#error "The filter knows x86_64 and aarch64"
#endif

#define LAST_KNOWN 469 /* file_setattr, Linux 6.17 */
#define WORDS (LAST_KNOWN / 32 + 1)
#define X32_BIT 0x40000000u
#define NAMESPACE_FLAGS 0x7E020000u
#define TIOCSTI_NUMBER 0x5412u
#define TIOCLINUX_NUMBER 0x541Cu
#define TIOCSETD_NUMBER 0x5423u

static const short allowed[] = {
#if defined(__x86_64__)
    SYS_open, SYS_stat, SYS_lstat, SYS_poll, SYS_access, SYS_pipe, SYS_select, SYS_dup2, SYS_pause,
    SYS_alarm, SYS_fork, SYS_vfork, SYS_getdents, SYS_rename, SYS_mkdir, SYS_rmdir, SYS_creat,
    SYS_link, SYS_unlink, SYS_symlink, SYS_readlink, SYS_chmod, SYS_chown, SYS_lchown, SYS_getpgrp,
    SYS_utime, SYS_mknod, SYS_arch_prctl, SYS_time, SYS_epoll_create, SYS_epoll_wait, SYS_utimes,
    SYS_futimesat, SYS_inotify_init, SYS_signalfd, SYS_eventfd,
#endif
    /* files */
    SYS_read, SYS_write, SYS_close, SYS_fstat, SYS_lseek, SYS_pread64, SYS_pwrite64, SYS_readv,
    SYS_writev, SYS_preadv, SYS_pwritev, SYS_preadv2, SYS_pwritev2, SYS_openat, SYS_openat2,
    SYS_mkdirat, SYS_mknodat, SYS_fchownat, SYS_newfstatat, SYS_unlinkat, SYS_renameat,
    SYS_renameat2, SYS_linkat, SYS_symlinkat, SYS_readlinkat, SYS_fchmodat, SYS_faccessat,
    SYS_faccessat2, SYS_fchmod, SYS_fchown, SYS_umask, SYS_getcwd, SYS_chdir, SYS_fchdir,
    SYS_getdents64, SYS_truncate, SYS_ftruncate, SYS_fallocate, SYS_fsync, SYS_fdatasync, SYS_sync,
    SYS_syncfs, SYS_sync_file_range, SYS_statfs, SYS_fstatfs, SYS_statx, SYS_utimensat,
    SYS_fadvise64, SYS_readahead, SYS_sendfile, SYS_copy_file_range, SYS_splice, SYS_tee,
    SYS_vmsplice, SYS_flock, SYS_fcntl, SYS_dup, SYS_dup3, SYS_pipe2, SYS_close_range, SYS_setxattr,
    SYS_lsetxattr, SYS_fsetxattr, SYS_getxattr, SYS_lgetxattr, SYS_fgetxattr, SYS_listxattr,
    SYS_llistxattr, SYS_flistxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
    SYS_inotify_init1, SYS_inotify_add_watch, SYS_inotify_rm_watch, SYS_memfd_create,
    SYS_landlock_create_ruleset, SYS_landlock_add_rule, SYS_landlock_restrict_self,
    451 /* cachestat */, 452 /* fchmodat2 */, 463 /* setxattrat */, 464 /* getxattrat */,
    465 /* listxattrat */, 466 /* removexattrat */,
    /* waiting */
    SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_epoll_pwait2,
    SYS_eventfd2, SYS_signalfd4, SYS_timerfd_create, SYS_timerfd_settime, SYS_timerfd_gettime,
    SYS_io_setup, SYS_io_destroy, SYS_io_getevents, SYS_io_submit, SYS_io_cancel,
    /* memory */
    SYS_mmap, SYS_mprotect, SYS_munmap, SYS_brk, SYS_mremap, SYS_msync, SYS_mincore, SYS_madvise,
    SYS_mlock, SYS_mlock2, SYS_munlock, SYS_mlockall, SYS_munlockall, SYS_remap_file_pages,
    SYS_mbind, SYS_set_mempolicy, SYS_get_mempolicy, SYS_pkey_alloc, SYS_pkey_free,
    SYS_pkey_mprotect, SYS_membarrier, 453 /* map_shadow_stack */, 462 /* mseal */,
    /* processes, threads, signals */
    SYS_execve, SYS_execveat, SYS_exit, SYS_exit_group, SYS_wait4, SYS_waitid, SYS_kill, SYS_tkill,
    SYS_tgkill, SYS_getpid, SYS_getppid, SYS_gettid, SYS_getpgid, SYS_setpgid, SYS_getsid,
    SYS_setsid, SYS_set_tid_address, SYS_set_robust_list, SYS_get_robust_list, SYS_futex,
    SYS_rseq, SYS_restart_syscall, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn,
    SYS_rt_sigpending, SYS_rt_sigtimedwait, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo,
    SYS_rt_sigsuspend, SYS_sigaltstack, SYS_prctl, SYS_seccomp, SYS_pidfd_open,
    SYS_pidfd_send_signal, SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_setaffinity,
    SYS_sched_getparam, SYS_sched_setparam, SYS_sched_getscheduler, SYS_sched_setscheduler,
    SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_sched_rr_get_interval,
    SYS_sched_getattr, SYS_sched_setattr, SYS_getpriority, SYS_setpriority, SYS_ioprio_get,
    SYS_ioprio_set, SYS_getcpu, 449 /* futex_waitv */, 454 /* futex_wake */, 455 /* futex_wait */,
    456 /* futex_requeue */,
    /* identity and limits; the kernel still asks for the capability */
    SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getgroups, SYS_getresuid, SYS_getresgid,
    SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setfsuid,
    SYS_setfsgid, SYS_setgroups, SYS_capget, SYS_capset, SYS_getrlimit, SYS_setrlimit,
    SYS_prlimit64, SYS_getrusage, SYS_times, SYS_sysinfo, SYS_uname, SYS_getrandom,
    /* time */
    SYS_gettimeofday, SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep,
    SYS_getitimer, SYS_setitimer, SYS_timer_create, SYS_timer_settime, SYS_timer_gettime,
    SYS_timer_getoverrun, SYS_timer_delete, SYS_adjtimex, SYS_clock_adjtime,
    /* sockets, once made */
    SYS_connect, SYS_accept, SYS_accept4, SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg,
    SYS_sendmmsg, SYS_recvmmsg, SYS_shutdown, SYS_bind, SYS_listen, SYS_getsockname,
    SYS_getpeername, SYS_setsockopt, SYS_getsockopt,
    /* System V and POSIX ipc, in an own namespace */
    SYS_shmget, SYS_shmat, SYS_shmctl, SYS_shmdt, SYS_semget, SYS_semop, SYS_semtimedop, SYS_semctl,
    SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_mq_open, SYS_mq_unlink, SYS_mq_timedsend,
    SYS_mq_timedreceive, SYS_mq_notify, SYS_mq_getsetattr};

static struct sock_filter filter[256];
static unsigned short size;

static void add(struct sock_filter instruction) { filter[size++] = instruction; }

static void answer(uint32_t action) {
  add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static void refuse(int error) { answer(SECCOMP_RET_ERRNO | (uint32_t)error); }

static void load(size_t offset) {
  add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/* The kernel takes these arguments as 32 bits, so the upper half cannot matter. */
static void load_argument(int index) {
  load(offsetof(struct seccomp_data, args) + sizeof(uint64_t) * (size_t)index);
}

/* Runs the next "length" instructions only when the accumulator equals value. */
static void only_if(uint32_t value, unsigned char length) {
  add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, length));
}

static void allow_if(uint32_t value) {
  only_if(value, 1);
  answer(SECCOMP_RET_ALLOW);
}

static void refuse_if(uint32_t value, int error) {
  only_if(value, 1);
  refuse(error);
}

/* A call that its arguments decide: the body is skipped for every other number. */
#define DECIDED_BY_ARGUMENTS(number, body)                     \
  do {                                                         \
    unsigned short jump = size;                                \
    only_if((uint32_t)(number), 0);                            \
    body;                                                      \
    filter[jump].jf = (unsigned char)(size - jump - 1);        \
  } while (0)

static void calls_decided_by_arguments(void) {
  DECIDED_BY_ARGUMENTS(SYS_ioctl, {
    load_argument(1);
    refuse_if(TIOCSTI_NUMBER, EPERM);
    refuse_if(TIOCLINUX_NUMBER, EPERM);
    refuse_if(TIOCSETD_NUMBER, EPERM);
    answer(SECCOMP_RET_ALLOW);
  });
  DECIDED_BY_ARGUMENTS(SYS_clone, {
    load_argument(0);
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NAMESPACE_FLAGS, 0, 1));
    refuse(EPERM);
    answer(SECCOMP_RET_ALLOW);
  });
  /* Its flags lie behind a pointer; without it, C libraries use clone. */
  DECIDED_BY_ARGUMENTS(SYS_clone3, refuse(ENOSYS));
  DECIDED_BY_ARGUMENTS(SYS_socket, {
    load_argument(0);
    allow_if(AF_UNIX);
    allow_if(AF_INET);
    allow_if(AF_INET6);
    only_if(AF_NETLINK, 3);
    load_argument(2);
    allow_if(0 /* NETLINK_ROUTE */);
    refuse(EAFNOSUPPORT);
  });
  DECIDED_BY_ARGUMENTS(SYS_socketpair, {
    load_argument(0);
    allow_if(AF_UNIX);
    refuse(EAFNOSUPPORT);
  });
  DECIDED_BY_ARGUMENTS(SYS_personality, {
    load_argument(0);
    allow_if(0);
    allow_if(8);
    allow_if(0x20000);
    allow_if(0x20008);
    allow_if(0xffffffff);
    refuse(EPERM);
  });
}

static void one_bit_per_call(void) {
  uint32_t bits[WORDS] = {0};
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
    bits[allowed[i] / 32] |= 1u << (allowed[i] % 32);
  add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, LAST_KNOWN, 0, 1));
  refuse(ENOSYS);
  add((struct sock_filter)BPF_STMT(BPF_MISC | BPF_TAX, 0));
  add((struct sock_filter)BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 5));
  unsigned short jumps[WORDS];
  for (uint32_t word = 0; word < WORDS; word++) {
    only_if(word, 2);
    add((struct sock_filter)BPF_STMT(BPF_LD | BPF_IMM, bits[word]));
    jumps[word] = size;
    add((struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, 0));
  }
  refuse(ENOSYS);
  for (uint32_t word = 0; word < WORDS; word++) filter[jumps[word]].k = size - jumps[word] - 1u;
  /* bits >> (number & 31), with the number in X and one scratch word. */
  add((struct sock_filter)BPF_STMT(BPF_ST, 0));
  add((struct sock_filter)BPF_STMT(BPF_MISC | BPF_TXA, 0));
  add((struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 31));
  add((struct sock_filter)BPF_STMT(BPF_MISC | BPF_TAX, 0));
  add((struct sock_filter)BPF_STMT(BPF_LD | BPF_MEM, 0));
  add((struct sock_filter)BPF_STMT(BPF_ALU | BPF_RSH | BPF_X, 0));
  add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 1, 0, 1));
  answer(SECCOMP_RET_ALLOW);
  refuse(EPERM);
}

void seccomp_prepare(void) {
  load(offsetof(struct seccomp_data, arch));
  add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0));
  answer(SECCOMP_RET_KILL_PROCESS);
  load(offsetof(struct seccomp_data, nr));
#if defined(__x86_64__)
  add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1));
  refuse(ENOSYS);
#endif
  calls_decided_by_arguments();
  one_bit_per_call();
}

int seccomp_install(void) {
  struct sock_fprog program = {.len = size, .filter = filter};
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}
