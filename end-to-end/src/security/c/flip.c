/* Swaps two names as fast as it can until it is killed. */
#define _GNU_SOURCE
#include "sandboxed.h"

#include <fcntl.h>
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  puts("flipping");
  fflush(stdout);
  while (renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2], 2 /* RENAME_EXCHANGE */) == 0) continue;
  perror("renameat2");
  return 1;
}
