/* Children of the spawner and cages of earlier ones: how they are cloned, heard and buried. */
#define _GNU_SOURCE
#include "children.h"

#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif
#define CLONE_ARGS_SIZE 88 /* up to and with .cgroup */
#define MAX_VALUES 6

static struct watched *all;

/* Field 22 of /proc/pid/stat. With the pid it names a process for good, until the next boot. */
uint64_t start_time_of(int pid) {
  char name[32], text[1024];
  snprintf(name, sizeof name, "%d/stat", pid);
  int fd = openat(host.proc, name, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  if (n <= 0) return 0;
  text[n] = 0;
  char *at = strrchr(text, ')'); /* the name may hold anything, so count from its end */
  for (int field = 2; at && field < 22; field++) {
    at = strchr(at, ' ');
    if (at) at++;
  }
  return at ? strtoull(at, NULL, 10) : 0;
}

struct watched *child_find(int pid, uint64_t start_time) {
  for (struct watched *at = all; at; at = at->next)
    if (at->pid == pid && at->start_time == start_time) return at;
  return NULL;
}

/* The lowest bit of the epoll data tells the report channel from the pidfd. */
static void poll_add(struct watched *watched, int fd, unsigned is_report) {
  struct epoll_event event = {.events = EPOLLIN};
  event.data.u64 = (uint64_t)(uintptr_t)watched | is_report;
  if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0) exit(1);
}

/* Said explicitly: a child that was cloned meanwhile holds the file open, and epoll would go on. */
static void poll_drop(int fd) {
  epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fd, NULL);
  close(fd);
}

struct watched *child_watch(int pid, int pidfd, enum kind kind) {
  struct watched *watched = calloc(1, sizeof *watched);
  if (!watched) exit(1);
  *watched = (struct watched){
      .next = all, .pid = pid, .pidfd = pidfd, .report = -1, .received_fd = -1, .kind = kind};
  all = watched;
  poll_add(watched, pidfd, 0);
  return watched;
}

static void forget(struct watched *watched) {
  struct watched **at = &all;
  while (*at != watched) at = &(*at)->next;
  *at = watched->next;
  if (watched->report >= 0) poll_drop(watched->report);
  if (watched->received_fd >= 0) close(watched->received_fd);
  poll_drop(watched->pidfd);
  free(watched);
}

int child_clone(enum kind kind, uint32_t seq, uint64_t flags, int cgroup) {
  int ends[2], pidfd = -1;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
    if (seq) send_error(seq, errno, "make a report channel");
    return -1;
  }
  struct clone_args args;
  memset(&args, 0, sizeof args);
  args.flags = flags | CLONE_PIDFD | (cgroup >= 0 ? CLONE_INTO_CGROUP : 0);
  args.pidfd = (uint64_t)(uintptr_t)&pidfd;
  args.exit_signal = SIGCHLD;
  args.cgroup = cgroup >= 0 ? (uint64_t)cgroup : 0;
  long pid = syscall(SYS_clone3, &args, CLONE_ARGS_SIZE);
  if (pid == 0) {
    report_to(ends[1]);
    return 1;
  }
  int error = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    if (seq) send_error(seq, error, "clone a process");
    return -1;
  }
  struct watched *watched = child_watch((int)pid, pidfd, kind);
  watched->own = 1;
  watched->seq = seq;
  watched->report = ends[0];
  poll_add(watched, ends[0], 1);
  return 0;
}

/* Values first, then perhaps an error; either may be missing. */
struct report {
  uint64_t values[MAX_VALUES];
  int count; /* -1: no values */
  int error; /* 0: none */
  const char *step;
};

static struct report parse(struct watched *watched) {
  struct report report = {.count = -1, .step = ""};
  watched->message[watched->received] = 0;
  size_t at = 0;
  uint32_t head[2];
  while (watched->received - at >= sizeof head) {
    memcpy(head, watched->message + at, sizeof head);
    at += sizeof head;
    if (head[0] == REPORT_ERROR) {
      report.error = (int)head[1];
      report.step = (const char *)watched->message + at;
      return report;
    }
    size_t size = head[1] * sizeof(uint64_t);
    if (head[1] > MAX_VALUES || watched->received - at < size) break;
    report.count = (int)head[1];
    memcpy(report.values, watched->message + at, size);
    at += size;
  }
  return report;
}

/* The channel has ended: the child runs the agent, has done its errand, or has failed. */
static void report_ended(struct watched *watched) {
  struct report report = parse(watched);
  poll_drop(watched->report);
  watched->report = -1;
  if (report.error == 0 && report.count < 0) {
    report.error = EINTR;
    report.step = "work in a child, which was killed";
  }
  if (watched->kind == SPARE) {
    spare_arrived(watched->received_fd, report.error ? UINT32_MAX : (uint32_t)report.values[0]);
    watched->received_fd = -1;
  } else if (report.error) {
    send_error(watched->seq, report.error, report.step);
    watched->kind = ERRAND; /* its exit is no news */
  } else if (watched->kind == CAGE) {
    watched->start_time = start_time_of(watched->pid);
    uint64_t values[] = {(uint64_t)watched->pid, watched->start_time, report.values[0]};
    send_ok(watched->seq, values, 3);
  } else if (watched->kind == MEMORY) {
    memory_arrived((int)report.values[0], watched->received_fd);
    watched->received_fd = -1;
    send_ok(watched->seq, NULL, 0);
  } else {
    send_ok(watched->seq, report.values, report.count);
  }
  watched->seq = 0;
}

static void on_report(struct watched *watched) {
  struct iovec room = {watched->message + watched->received,
                       sizeof watched->message - 1 - watched->received};
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control;
  struct msghdr message = {.msg_iov = &room, .msg_iovlen = 1, .msg_control = &control,
                           .msg_controllen = sizeof control};
  ssize_t n = recvmsg(watched->report, &message, MSG_CMSG_CLOEXEC);
  if (n < 0 && errno == EINTR) return;
  struct cmsghdr *rights = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
  if (rights && rights->cmsg_type == SCM_RIGHTS && watched->received_fd < 0)
    memcpy(&watched->received_fd, CMSG_DATA(rights), sizeof(int));
  if (n > 0)
    watched->received += (size_t)n;
  else
    report_ended(watched);
}

static void on_exit_of(struct watched *watched) {
  while (watched->report >= 0) on_report(watched);
  uint32_t status = UINT32_MAX; /* unknown: not our child */
  if (watched->own) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    if (waitid((idtype_t)P_PIDFD, (id_t)watched->pidfd, &info, WEXITED) == 0)
      status = info.si_code == CLD_EXITED ? (uint32_t)info.si_status
                                          : 128u + (uint32_t)info.si_status;
  }
  if (watched->kind == CAGE) send_exit(watched->pid, watched->start_time, status);
  forget(watched);
}

/* Until every child of that kind has ended. */
void children_await(enum kind kind) {
  struct watched *at = all;
  while (at) {
    struct watched *next = at->next;
    if (at->kind == kind) on_exit_of(at); /* which waits */
    at = next;
  }
}

void child_event(struct watched *watched, int is_report) {
  if (!is_report)
    on_exit_of(watched);
  else if (watched->report >= 0)
    on_report(watched);
}
