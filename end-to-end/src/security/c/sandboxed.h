/* These programs do harm where they can. On a host, outside any user namespace, they refuse to run. */
#ifndef SANDBOXED_H
#define SANDBOXED_H

#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void refuse_to_run_on_a_host(void) {
  unsigned inside = 0, outside = 0, count = 0;
  FILE *map = fopen("/proc/self/uid_map", "re");
  int fields = map ? fscanf(map, "%u %u %u", &inside, &outside, &count) : 0;
  if (map) fclose(map);
  if (fields == 3 && outside != 0 && count < 0xffffffffu) return;
  fputs("This program runs in a sandbox only\n", stderr);
  _exit(99);
}

#endif
