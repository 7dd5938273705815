#include "agent.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "inside/ask.h"

/*
 * From fork to exec.
 *
 * A real fork, not vfork: a child that shares our memory and already runs as the sandbox user could
 * be stopped by that user's other processes, and we with it. The agent is small and its rings are
 * not copied, so the fork costs little.
 *
 * In the child: no memory is allocated, no lock is taken, everything is a system call on what the
 * parent prepared. The order matters: descriptors go before rights do, so that not for a moment a
 * process of the sandbox user holds one of ours.
 */
#ifndef PR_CAP_AMBIENT
#define PR_CAP_AMBIENT 47
#define PR_CAP_AMBIENT_CLEAR_ALL 4
#endif

enum { CAP_LAST = 63 };

struct cap_head {
  uint32_t version;
  int pid;
};
struct cap_data {
  uint32_t effective, permitted, inheritable;
};

static uint64_t command_caps, bounding;
static struct rlimit files_limit;
static int dev_null;
static bool root, bad_link_attributes;

bool agent_is_root(void) { return root; }
int null_fd(void) { return dev_null; }

static int open_null(void) {
  int fd = open("/dev/null", O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  struct stat st;
  if (fd >= 0 && fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3))
    return fd;
  if (fd >= 0) close(fd);
  return fcntl(0, F_DUPFD_CLOEXEC, 3); /* a root with nothing in it: what we were started with */
}

/*
 * gVisor answers EBADF when a symlink is asked for an attribute, which ls -l does and complains
 * about. Where it does so, commands hear that there are none; whoever copies attributes asks
 * differently, or can do without.
 */
static bool links_have_bad_attributes(void) {
  char value[8];
  return lgetxattr(ASK_FOLDER "/cove-sudo", "security.selinux", value, sizeof value) < 0 &&
         errno == EBADF;
}

void spawn_init(uint64_t caps) {
  root = geteuid() == 0;
  command_caps = caps;
  for (int cap = 0; cap <= CAP_LAST; cap++)
    if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1) bounding |= 1ull << cap;
  dev_null = open_null();
  bad_link_attributes = links_have_bad_attributes();
  if (getrlimit(RLIMIT_NOFILE, &files_limit) == 0) {
    struct rlimit all = {files_limit.rlim_max, files_limit.rlim_max};
    setrlimit(RLIMIT_NOFILE, &all);
  }
}

static void close_from(unsigned first) {
#ifdef SYS_close_range /* not up to ~0u: gVisor takes that for less than the first */
  if (syscall(SYS_close_range, first, INT_MAX, 0) == 0) return;
#endif
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) limit.rlim_cur = 1 << 20;
  for (unsigned fd = first; fd < limit.rlim_cur; fd++) close((int)fd);
}

static bool place_descriptors(const struct spawn *s) {
  if (dup2(s->in, 0) < 0 || dup2(s->out, 1) < 0 || dup2(s->err, 2) < 0) return false;
  if (s->status != 3 && dup3(s->status, 3, O_CLOEXEC) < 0) return false;
  close_from(4);
  return true;
}

static void hide_attributes(void) {
  static const struct {
    uint16_t code;
    uint8_t if_true, if_false;
    uint32_t k;
  } program[] = {
      {0x20, 0, 0, 0},                              /* load the number of the call */
      {0x15, 0, 1, SYS_lgetxattr},                  /* is it this one? */
      {0x06, 0, 0, 0x00050000 | EOPNOTSUPP},        /* SECCOMP_RET_ERRNO */
      {0x06, 0, 0, 0x7fff0000},                     /* SECCOMP_RET_ALLOW */
  };
  struct {
    uint16_t length;
    const void *program;
  } filter = {sizeof program / sizeof *program, program};
  prctl(PR_SET_SECCOMP, 2 /* SECCOMP_MODE_FILTER */, &filter, 0, 0);
}

/* The kernel should take a command rather than the agent when memory runs out. */
static void raise_oom_score(void) {
  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (fd < 0) return;
  ssize_t ignored = write(fd, "500", 3);
  (void)ignored;
  close(fd);
}

static bool set_caps(uint64_t caps) {
  struct cap_head head = {0x20080522, 0};
  struct cap_data now[2], want[2] = {{0}};
  if (syscall(SYS_capget, &head, now) < 0) return false;
  for (int i = 0; i < 2; i++) {
    uint32_t half = (uint32_t)(caps >> (32 * i));
    want[i].permitted = now[i].permitted & half;
    want[i].effective = want[i].permitted;
  }
  return syscall(SYS_capset, &head, want) == 0;
}

static int take_identity(const struct user *u) {
  uint64_t caps = u->uid == 0 ? command_caps : 0;
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (root) {
    for (int cap = 0; cap <= CAP_LAST; cap++)
      if ((bounding & ~caps) >> cap & 1 && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
        return STAGE_CAPS;
    if (syscall(SYS_setgroups, u->group_count, u->groups) < 0) return STAGE_USER;
    if (syscall(SYS_setresgid, u->gid, u->gid, u->gid) < 0) return STAGE_USER;
    if (syscall(SYS_setresuid, u->uid, u->uid, u->uid) < 0) return STAGE_USER;
  } else if (u->uid != getuid()) { /* an agent without rights, as in a developer's test */
    errno = EPERM;
    return STAGE_USER;
  }
  return set_caps(caps) ? 0 : STAGE_CAPS;
}

/* A path such as /proc/self/fd/7 may lead out of the root; the kernel then names it without "/". */
static bool enter(const char *cwd) {
  char path[PATH_BYTES];
  if (*cwd != '/') {
    errno = EINVAL;
    return false;
  }
  if (chdir(cwd) < 0 || syscall(SYS_getcwd, path, sizeof path) < 0) return false;
  if (path[0] != '/') {
    errno = EACCES;
    return false;
  }
  return true;
}

static bool exists(const char *path) { return faccessat(AT_FDCWD, path, F_OK, 0) == 0; }

static int run(const struct spawn *s) {
  const char *program = s->argv[0];
  if (strchr(program, '/')) {
    execve(program, s->argv, s->envp);
    return errno == ENOENT && exists(program) ? STAGE_INTERPRETER : STAGE_EXEC;
  }
  int worst = ENOENT;
  size_t name = strlen(program);
  for (const char *at = s->path, *next; at; at = next) {
    size_t len = strcspn(at, ":");
    next = at[len] ? at + len + 1 : NULL;
    char path[PATH_BYTES];
    if (len == 0 || len + name + 2 > sizeof path) continue;
    memcpy(path, at, len);
    path[len] = '/';
    memcpy(path + len + 1, program, name + 1);
    execve(path, s->argv, s->envp);
    if (errno == ENOENT && exists(path)) return STAGE_INTERPRETER;
    if (errno == EACCES) worst = EACCES;
    else if (errno != ENOENT && errno != ENOTDIR) return STAGE_EXEC;
  }
  errno = worst;
  return STAGE_EXEC;
}

static int child(const struct spawn *s) {
  if (setsid() < 0 || !place_descriptors(s)) return STAGE_SETUP;
  if (s->terminal && ioctl(0, TIOCSCTTY, 0) < 0) return STAGE_TERMINAL;
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_NOFILE, &files_limit);
  raise_oom_score();
  umask(022);
  int stage = take_identity(s->user);
  if (stage) return stage;
  /* Changing the user may have made us readable to others, where the host is set up that way. */
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (bad_link_attributes) hide_attributes();
  if (!enter(s->cwd) && !(s->cwd_is_home && enter("/"))) return STAGE_CWD;
  sigset_t no_signals;
  sigemptyset(&no_signals);
  sigprocmask(SIG_SETMASK, &no_signals, NULL);
  return run(s);
}

/* The status pipe closes on exec; until then it may carry one failure. */
pid_t spawn(const struct spawn *s) {
  pid_t pid = (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
  if (pid != 0) return pid;
  struct spawn_failure failure = {.stage = child(s)};
  failure.err = errno;
  ssize_t ignored = write(3, &failure, sizeof failure);
  (void)ignored;
  _exit(127);
}
