/*
 * Takes as many of one thing as it gets, says "took N", and holds them until its input ends.
 * What: files, ptys, pipes, inotify, epoll, timers, threads.
 */
#define _GNU_SOURCE
#include "sandboxed.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static void *wait_forever(void *unused) {
  for (;;) pause();
  return unused;
}

static int take(const char *what) {
  int two[2];
  if (strcmp(what, "files") == 0) return open("/dev/null", O_RDONLY) >= 0;
  if (strcmp(what, "ptys") == 0) return posix_openpt(O_RDWR | O_NOCTTY) >= 0;
  if (strcmp(what, "pipes") == 0) {
    static char full[65536];
    if (pipe2(two, O_NONBLOCK) < 0) return 0;
    return write(two[1], full, sizeof full) > 0;
  }
  if (strcmp(what, "inotify") == 0) return inotify_init() >= 0;
  if (strcmp(what, "epoll") == 0) return epoll_create1(0) >= 0;
  if (strcmp(what, "timers") == 0) {
    timer_t timer;
    return timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0;
  }
  if (strcmp(what, "threads") == 0) {
    pthread_t thread;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384);
    return pthread_create(&thread, &small, wait_forever, NULL) == 0;
  }
  exit(2);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  long count = 0, most = atol(argv[2]);
  while (count < most && take(argv[1])) count++;
  dprintf(1, "took %ld\n", count);
  char byte;
  while (read(0, &byte, 1) > 0) continue;
  return 0;
}
