/* "deep N": folders N deep below the current one. "wide N": N files with long names in one. */
#define _GNU_SOURCE
#include "sandboxed.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  int deep = strcmp(argv[1], "deep") == 0;
  long made = 0, wanted = atol(argv[2]);
  for (; made < wanted; made++) {
    if (deep) {
      if (mkdir("d", 0755) < 0 || chdir("d") < 0) break;
    } else {
      char name[256];
      snprintf(name, sizeof name, "%0200ld", made);
      int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0644);
      if (fd < 0) break;
      close(fd);
    }
  }
  if (made < wanted) perror(argv[1]);
  printf("made %ld\n", made);
  return 0;
}
