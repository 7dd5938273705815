/*
 * A cage whose agent is brought up by a program of the host's: an OCI runtime. Namespaces, cgroups,
 * network and files are those of any cage, and the runtime is given the root ready made. It is root
 * of the cage's user namespace only, with a mount and a process namespace that belong to that, so
 * that it has all the rights that it asks for and none over the host.
 *
 * The first process of the cage is not the agent but its porter. It has the socket that the node
 * connects to, and hands each connection through a socket that is the runtime's stdin, and so the
 * agent's. It reads nothing of what passes, and nothing that comes from inside.
 */
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seen by nobody but this cage: what the host has there is hidden, and may be anything. */
#define PLACE "/mnt"

static int make_file(const char *path, mode_t mode) {
  return check(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
}

static void copy_file(int from, const char *path, mode_t mode) {
  int to = make_file(path, mode);
  char part[65536];
  ssize_t n;
  for (off_t at = 0; (n = check((int)pread(from, part, sizeof part, at))) > 0; at += n)
    if (write(to, part, (size_t)n) != n) child_fail(ENOSPC);
  close(to);
}

/* Copies in the cage's own memory, so that no file is shared with other cages. */
static void lay_out(const struct plan *plan) {
  step = "lay out what the runtime needs";
  check(mkdir(PLACE "/rootfs", 0755));
  check(mkdir(PLACE "/state", 0700));
  check(chown(PLACE "/state", plan->first_id, plan->first_id));
  check(mkdir(PLACE "/cove", 0755));
  copy_file(host.agent, PLACE "/cove/cove-agent", 0555);
  int command = make_file(PLACE "/cove/cove-checkpoint", 0555);
  if (write(command, host.command, host.command_size) != (ssize_t)host.command_size)
    child_fail(ENOSPC);
  close(command);
  check(symlink("cove-checkpoint", PLACE "/cove/cove-sudo"));
  char name[64];
  snprintf(name, sizeof name, "%s/config.json", plan->id);
  int config = check(openat(host.sandboxes, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  copy_file(config, PLACE "/config.json", 0444);
  close(config);
}

/* The host's programs, and one folder in which everything is ours. */
static void enter_host_mounts(const struct plan *plan, int root) {
  step = "copy the host's mount namespace";
  check(setns(host.mount_ns, CLONE_NEWNS));
  check(unshare(CLONE_NEWNS));
  check(mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL));
  step = "mount a tmpfs at", step_name = PLACE;
  check(mount("cove", PLACE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=8m"));
  step_name = NULL;
  lay_out(plan);
  step = "attach the root";
  check((int)syscall(SYS_move_mount, root, "", AT_FDCWD, PLACE "/rootfs", MOVE_MOUNT_F_EMPTY_PATH));
  close(root);
  check(chdir("/"));
}

static int open_log(const char *id) {
  step = "open the runtime's log";
  char name[64];
  snprintf(name, sizeof name, "%s/runtime.log", id);
  return check(openat(host.sandboxes, name,
                      O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
}

__attribute__((noreturn)) static void exec_runtime(const struct plan *plan, int hand, int log) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  step = "mount the runtime's /proc";
  check(mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL));
  step = "set no_new_privs";
  check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  step = "give the runtime its streams";
  check(dup2(hand, 0));
  check(dup2(log, 1));
  check(dup2(log, 2));
  check((int)syscall(SYS_close_range, 3, ~0u, 4 /* CLOSE_RANGE_CLOEXEC */));
  step = "start the runtime", step_name = plan->command[0];
  static char *const environment[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                                      NULL};
  execve(plan->command[0], (char *const *)(uintptr_t)plan->command, environment);
  child_fail(errno);
}

/* A connection that cannot be handed on at once is dropped: whoever made it may make another. */
static void hand_over(int socket, int hand) {
  int peer = accept4(socket, NULL, NULL, SOCK_CLOEXEC);
  if (peer < 0) return;
  char word = 'c';
  struct iovec data = {&word, 1};
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control;
  struct msghdr packet = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control,
                          .msg_controllen = sizeof control};
  struct cmsghdr *rights = CMSG_FIRSTHDR(&packet);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(rights), &peer, sizeof(int));
  ssize_t ignored = sendmsg(hand, &packet, MSG_NOSIGNAL | MSG_DONTWAIT);
  (void)ignored;
  close(peer);
}

/*
 * Ends with the runtime. A request to end is for the programs inside, and goes to the agent: not
 * every runtime passes signals on.
 */
__attribute__((noreturn)) static void serve(int runtime, int socket, int hand, int signals) {
  struct pollfd watched[] = {{.fd = socket, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
  for (;;) {
    if (poll(watched, 2, -1) < 0) continue;
    if (watched[0].revents) hand_over(socket, hand);
    struct signalfd_siginfo info;
    if (!watched[1].revents || read(signals, &info, sizeof info) != sizeof info) continue;
    if (info.ssi_signo == SIGTERM) {
      ssize_t ignored = send(hand, "t", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
      (void)ignored;
    }
    int status;
    for (int pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
      if (pid == runtime) _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  }
}

/* What the overlays were mounted with would follow the runtime into every change of its ids. */
static void be_plain_root(void) {
  step = "be root again";
  setfsuid(0);
  setfsgid(0);
  check(prctl(PR_SET_SECUREBITS, 0, 0, 0, 0));
}

void runtime_run(const struct plan *plan, int root, int socket, uint64_t loop_number, int user_ns) {
  be_plain_root();
  int log = open_log(plan->id);
  enter_host_mounts(plan, root);
  step = "make the socket to the agent";
  int ends[2];
  check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
  step = "watch for signals";
  sigset_t ours;
  sigemptyset(&ours);
  sigaddset(&ours, SIGCHLD);
  sigaddset(&ours, SIGTERM);
  check(sigprocmask(SIG_SETMASK, &ours, NULL));
  int signals = check(signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK));
  umask(022);
  report_values(&loop_number, 1);
  become_root_inside(user_ns);
  step = "clone the runtime";
  int pid = (int)check((int)syscall(SYS_clone, CLONE_NEWNS | CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, 0));
  if (pid == 0) exec_runtime(plan, ends[1], log);
  report_end();
  prctl(PR_SET_NAME, "cove-porter", 0, 0, 0);
  int kept[] = {check(fcntl(socket, F_DUPFD, 100)), check(fcntl(ends[0], F_DUPFD, 100)),
                check(fcntl(signals, F_DUPFD, 100))};
  for (int i = 0; i < 3; i++) check(dup2(kept[i], i));
  check((int)syscall(SYS_close_range, 3, ~0u, 0));
  serve(pid, 0, 1, 2);
}
