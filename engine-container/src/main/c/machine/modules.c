/* Drivers, in the order of their names in /modules: the host has put those first that others need. */
#define _GNU_SOURCE
#include "machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void load(const char *name) {
  char path[320];
  snprintf(path, sizeof path, "/modules/%s", name);
  step = "load", step_name = name;
  int fd = check(open(path, O_RDONLY | O_CLOEXEC));
  if (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST) child_fail(errno);
  close(fd);
  unlink(path); /* the memory is of more use elsewhere */
}

void modules_load(void) {
  struct dirent **names;
  int count = scandir("/modules", &names, NULL, alphasort);
  for (int i = 0; i < count; i++)
    if (names[i]->d_name[0] != '.') load(names[i]->d_name);
  step_name = NULL;
}
