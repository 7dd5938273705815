/*
 * A user namespace with its id map, as a descriptor. It serves twice: for the id-mapped mounts,
 * and as the one that the agent joins last of all, so that it owns no other namespace.
 */
#define _GNU_SOURCE
#include "spawner.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Shares our memory, so it must touch nothing: it only keeps the namespace alive for a moment. */
static int hold(void *unused) {
  (void)unused;
  while (pause() < 0) continue;
  return 0;
}

static void write_map(int proc, int pid, const char *file, const char *text) {
  char name[64];
  snprintf(name, sizeof name, "%d/%s", pid, file);
  int fd = check(openat(proc, name, O_WRONLY | O_CLOEXEC));
  check(write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1);
  close(fd);
}

/* Texts are as /proc/PID/uid_map takes them. */
int user_ns_mapping(int proc, const char *uids, const char *gids) {
  static char stack[4096] __attribute__((aligned(16)));
  step = "create the user namespace";
  int pid = check(clone(hold, stack + sizeof stack, CLONE_NEWUSER | CLONE_VM | SIGCHLD, NULL));
  step = "map the ids of the user namespace";
  write_map(proc, pid, "uid_map", uids);
  write_map(proc, pid, "gid_map", gids);
  char name[64];
  snprintf(name, sizeof name, "%d/ns/user", pid);
  int fd = check(openat(proc, name, O_RDONLY | O_CLOEXEC));
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  return fd;
}

int user_ns_create(int proc, uint32_t first_id) {
  char map[64];
  snprintf(map, sizeof map, "0 %u %u\n", first_id, IDS_PER_SANDBOX);
  return user_ns_mapping(proc, map, map);
}
