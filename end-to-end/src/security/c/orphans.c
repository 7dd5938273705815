/*
 * Makes many orphans: a child has grandchildren that die with it, so that each of them becomes
 * pid 1's to reap. Prints how many there were.
 */
#define _GNU_SOURCE
#include "sandboxed.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PER_CHILD 100

int main(int argc, char **argv) {
  long wanted = argc > 1 ? atol(argv[1]) : 1000, made = 0;
  for (long rounds = 0; made < wanted && rounds < wanted; rounds++) {
    int count[2];
    if (pipe(count) < 0) return 2;
    pid_t child = fork();
    if (child < 0) {
      close(count[0]);
      close(count[1]);
      continue;
    }
    if (child == 0) {
      long born = 0;
      pid_t parent = getpid();
      for (int i = 0; i < PER_CHILD; i++) {
        pid_t grandchild = fork();
        if (grandchild == 0) {
          prctl(PR_SET_PDEATHSIG, SIGKILL);
          if (getppid() != parent) _exit(0); /* it was quicker */
          for (;;) pause();
        }
        if (grandchild > 0) born++;
      }
      if (write(count[1], &born, sizeof born) < 0) _exit(1);
      _exit(0);
    }
    long born = 0;
    close(count[1]);
    if (read(count[0], &born, sizeof born) < 0) return 3;
    close(count[0]);
    waitpid(child, NULL, 0);
    made += born;
  }
  printf("orphans %ld\n", made);
  return made < wanted;
}
