/* Ports to the host are found by the names that the host gave them. */
#define _GNU_SOURCE
#include "machine.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool has_name(const char *device, const char *wanted) {
  char path[320], name[64] = "";
  snprintf(path, sizeof path, "/sys/class/virtio-ports/%s/name", device);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t n = read(fd, name, sizeof name - 1);
  close(fd);
  if (n <= 0) return false;
  name[strcspn(name, "\n")] = 0;
  return strcmp(name, wanted) == 0;
}

int port_open(const char *name) {
  for (;;) { /* they appear a moment after their driver */
    DIR *all = opendir("/sys/class/virtio-ports");
    for (struct dirent *one = all ? readdir(all) : NULL; one; one = readdir(all)) {
      if (one->d_name[0] == '.' || !has_name(one->d_name, name)) continue;
      char path[320];
      snprintf(path, sizeof path, "/dev/%s", one->d_name);
      int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
      if (fd < 0) break;
      closedir(all);
      return fd;
    }
    if (all) closedir(all);
    usleep(5000);
  }
}
