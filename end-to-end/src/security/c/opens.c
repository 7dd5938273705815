/*
 * Opens what it is told to and prints what came of it: "read /dev/null EMPTY". Arguments are pairs
 * of a way (read, write) and a path. A write that is let through writes one zero.
 */
#define _GNU_SOURCE
#include "sandboxed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    int writes = strcmp(argv[i], "write") == 0;
    char byte = '0';
    int fd = open(argv[i + 1], (writes ? O_WRONLY : O_RDONLY) | O_NONBLOCK | O_NOCTTY);
    ssize_t n = fd < 0 ? -1 : writes ? write(fd, &byte, 1) : read(fd, &byte, 1);
    printf("%s %s %s\n", argv[i], argv[i + 1],
           n > 0 ? "OK" : n == 0 ? "EMPTY" : strerrorname_np(errno));
    if (fd >= 0) close(fd);
  }
  return 0;
}
