/*
 * The sandbox in the machine. Its root is put together by the code that the spawner uses, of disks
 * instead of folders and with ids as they are: root in the sandbox is an unprivileged root of the
 * machine's kernel, behind the same filter.
 */
#define _GNU_SOURCE
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define AGENT_GONE 3

const char *const box_socket = "/agent.sock";
static int agent_pid = -1;
static int disk = -1; /* the file system of the writable layer, to freeze and thaw */
static char failure[600];

static int listen_for_relay(void) {
  step = "bind the agent's socket";
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strcpy(address.sun_path, box_socket);
  int fd = check(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  check(bind(fd, (struct sockaddr *)&address, sizeof address));
  check(listen(fd, 16));
  return fd;
}

/* Numbers of disks: the writable one, layers, grafts, sealed layers. */
static int mount_disks(const struct order *order, struct plan *plan, struct trees *trees) {
  int number = 0;
  int writable = disk_mount(number++, false);
  plan->layer_count = order->layers;
  for (int i = 0; i < order->layers; i++) {
    plan->layers[i] = "";
    trees->layers[i] = disk_mount(number++, true);
  }
  plan->graft_count = order->grafts;
  for (int i = 0; i < order->grafts; i++) {
    plan->grafts[i] = (struct graft){.target = order->targets[i], .source = ""};
    trees->grafts[i] = disk_mount(number++, true);
  }
  plan->shelf_count = order->sealed;
  for (int i = 0; i < order->sealed; i++) {
    plan->shelves[i] = "";
    trees->shelves[i] = disk_mount(number++, true);
  }
  return writable;
}

static void write_setting(const char *path, const char *text) {
  int fd = check(open(path, O_WRONLY | O_CLOEXEC));
  check(write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1);
  close(fd);
}

/* Memory is the machine's; how many processes there may be is for a cgroup to hold. */
static void hold(const struct order *order) {
  step = "limit processes";
  check(mkdir("/groups", 0755));
  check(mount("cgroup2", "/groups", "cgroup2", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL));
  write_setting("/groups/cgroup.subtree_control", "+pids");
  check(mkdir("/groups/box", 0755));
  char text[16];
  snprintf(text, sizeof text, "%d", order->max_processes);
  write_setting("/groups/box/pids.max", text);
  write_setting("/groups/box/cgroup.procs", "0");
  write_setting("/proc/self/oom_score_adj", "250"); /* commands are above it, as in any cage */
}

static void box_build(const struct order *order, int report) {
  report_to(report);
  setsid();
  step = "set the host name";
  check(sethostname(order->id, strlen(order->id)));
  hold(order);
  step = "leave the machine's cgroup view";
  check(unshare(CLONE_NEWCGROUP));
  int socket = listen_for_relay();
  static struct plan plan;
  static struct trees trees;
  plan.id = order->id;
  plan.base_image = "";
  plan.shm_bytes = order->shm_bytes;
  plan.again = plan.keeps_identity = order->again;
  int writable = mount_disks(order, &plan, &trees);
  step = "reach the disk";
  int root = check(openat(writable, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  report_mount(0, root);
  close(root);
  step = "mount /proc";
  static const char *const options[] = {"source", "proc", NULL};
  int proc = check(mount_detached("proc", options,
                                  MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
  take_overlay_rights();
  root_build(&plan, &trees, writable, proc, -1);
  seccomp_prepare();
  agent_start(socket);
}

/* A descriptor of the writable disk first; then nothing more, or what went wrong. */
static const char *hear(int report) {
  unsigned char message[600];
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control;
  for (;;) {
    struct iovec room = {message, sizeof message - 1};
    struct msghdr packet = {.msg_iov = &room, .msg_iovlen = 1, .msg_control = &control,
                            .msg_controllen = sizeof control};
    ssize_t n = recvmsg(report, &packet, MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return disk >= 0 ? NULL : "the sandbox ended before it began";
    struct cmsghdr *rights = CMSG_FIRSTHDR(&packet);
    if (rights && rights->cmsg_type == SCM_RIGHTS) {
      memcpy(&disk, CMSG_DATA(rights), sizeof(int));
      continue;
    }
    uint32_t head[2];
    if (n < (ssize_t)sizeof head) continue;
    memcpy(head, message, sizeof head);
    if (head[0] != REPORT_ERROR) continue;
    message[n] = 0;
    snprintf(failure, sizeof failure, "%s: %s", (char *)message + sizeof head,
             strerror((int)head[1]));
    return failure;
  }
}

const char *box_start(const struct order *order) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return "socketpair";
  unsigned long flags = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS;
  agent_pid = (int)syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
  if (agent_pid < 0) return "clone";
  if (agent_pid == 0) {
    close(ends[0]);
    box_build(order, ends[1]);
    _exit(AGENT_GONE);
  }
  close(ends[1]);
  const char *wrong = hear(ends[0]);
  close(ends[0]);
  return wrong;
}

int box_freeze(bool freeze) {
  if (disk < 0) return 0;
  if (freeze && syncfs(disk) < 0) return -1; /* most of it, while others may go on */
  int result = ioctl(disk, freeze ? FIFREEZE : FITHAW, 0);
  return result < 0 && errno == (freeze ? EBUSY : EINVAL) ? 0 : result; /* it was so already */
}

void box_terminate(void) {
  if (agent_pid > 0) kill(agent_pid, SIGTERM);
}

bool box_runs(void) { return agent_pid > 0; }

void box_reap(void) {
  for (int pid = waitpid(-1, NULL, WNOHANG); pid > 0; pid = waitpid(-1, NULL, WNOHANG))
    if (pid == agent_pid) agent_pid = -1;
}
