/*
 * Hunts for the program that runs as pid 1 or as a copy of it, for some seconds, and tries to open
 * it for writing each way there is. Prints how often that worked.
 */
#define _GNU_SOURCE
#include "sandboxed.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static long seen, opened;

static void try_write(const char *path) {
  int held = open(path, O_PATH);
  if (held < 0) return;
  char link[256], name[64];
  ssize_t n = readlink(path, link, sizeof link - 1);
  link[n > 0 ? n : 0] = 0;
  if (!strstr(link, "cove-agent")) {
    close(held);
    return;
  }
  seen++;
  snprintf(name, sizeof name, "/proc/self/fd/%d", held);
  static const int ways[] = {O_WRONLY, O_RDWR, O_WRONLY | O_TRUNC, O_WRONLY | O_APPEND};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    int fd = open(name, ways[i]);
    if (fd < 0) continue;
    if (write(fd, "#!/bin/false\n", 13) > 0 || ftruncate(fd, 0) == 0) opened++;
    close(fd);
  }
  if (truncate(path, 0) == 0 || chmod(path, 0777) == 0) opened++;
  close(held);
}

int main(int argc, char **argv) {
  time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 2);
  do {
    DIR *proc = opendir("/proc");
    if (!proc) return 2;
    for (struct dirent *entry; (entry = readdir(proc));) {
      if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
      char path[300];
      snprintf(path, sizeof path, "/proc/%s/exe", entry->d_name);
      try_write(path);
    }
    closedir(proc);
  } while (time(NULL) < end);
  printf("seen %ld\nwritten %ld\n", seen, opened);
  return 0;
}
