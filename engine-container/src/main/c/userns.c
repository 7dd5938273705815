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

static void write_map(int proc, int pid, const char *file, uint32_t first_id) {
  char name[64], text[64];
  snprintf(name, sizeof name, "%d/%s", pid, file);
  int length = snprintf(text, sizeof text, "0 %u %u\n", first_id, IDS_PER_SANDBOX);
  int fd = check(openat(proc, name, O_WRONLY | O_CLOEXEC));
  check(write(fd, text, (size_t)length) == length ? 0 : -1);
  close(fd);
}

int user_ns_create(int proc, uint32_t first_id) {
  static char stack[4096] __attribute__((aligned(16)));
  step = "create the user namespace";
  int pid = check(clone(hold, stack + sizeof stack, CLONE_NEWUSER | CLONE_VM | SIGCHLD, NULL));
  step = "map the ids of the user namespace";
  write_map(proc, pid, "uid_map", first_id);
  write_map(proc, pid, "gid_map", first_id);
  char name[64];
  snprintf(name, sizeof name, "%d/ns/user", pid);
  int fd = check(openat(proc, name, O_RDONLY | O_CLOEXEC));
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
  return fd;
}
