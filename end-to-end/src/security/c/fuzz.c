/*
 * Random system calls with random arguments, for so many seconds with so many processes from a
 * seed. Calls that would only end the fuzzer are left out. Prints how many were made.
 */
#define _GNU_SOURCE
#include "sandboxed.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t state;

static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static unsigned char *page;

static long argument(void) {
  switch (next() % 8) {
    case 0: return (long)(next() % 16);
    case 1: return (long)(page + next() % 4096);
    case 2: return -(long)(next() % 16);
    case 3: return (long)(1ull << (next() % 64));
    case 4: return (long)next();
    case 5: return (long)"/proc/self/status";
    case 6: return (long)"/tmp/fuzz";
    default: return 0;
  }
}

static int left_out(long number) {
  static const long ends[] = {SYS_exit,     SYS_exit_group, SYS_kill,      SYS_tkill,
                              SYS_tgkill,   SYS_pause,      SYS_vfork,     SYS_rt_sigqueueinfo,
                              SYS_fork,     SYS_clone,      SYS_rt_sigsuspend, SYS_munmap,
                              SYS_rt_sigreturn, SYS_rt_tgsigqueueinfo, SYS_pidfd_send_signal};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (ends[i] == number) return 1;
  return 0;
}

static void batch(volatile long *made) {
  struct rlimit memory = {256 << 20, 256 << 20}, file = {16 << 20, 16 << 20};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_FSIZE, &file);
  for (int i = 0; i < 2000; i++) {
    long number = (long)(next() % 470);
    for (int j = 0; j < 16; j++) page[next() % 4096] = (unsigned char)next();
    if (left_out(number)) continue;
    syscall(number, argument(), argument(), argument(), argument(), argument(), argument());
    __atomic_fetch_add(made, 1, __ATOMIC_RELAXED);
  }
  _exit(0);
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  int seconds = atoi(argv[1]), processes = atoi(argv[2]);
  long *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int null = open("/dev/null", O_RDWR), out = dup(1);
  dup2(null, 0), dup2(null, 1), dup2(null, 2);
  /* With nothing behind it for as far as a call may write over its end: the count lies elsewhere. */
  page = mmap(NULL, 64 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  mprotect(page, 8192, PROT_READ | PROT_WRITE);
  for (int p = 0; p < processes; p++) {
    if (fork() != 0) continue;
    state = strtoull(argv[3], NULL, 10) * 2654435761u + (uint64_t)p + 1;
    time_t end = time(NULL) + seconds;
    while (time(NULL) < end) {
      next();
      pid_t child = fork();
      if (child == 0) {
        setsid();
        batch(made);
      }
      /* It may have turned off its own alarm, so that somebody else has to look at the clock. */
      int waits = 0;
      while (waitpid(child, NULL, WNOHANG) == 0) {
        if (++waits > 500) kill(child, SIGKILL);
        usleep(2000);
      }
    }
    _exit(0);
  }
  while (wait(NULL) > 0) continue;
  dprintf(out, "calls %ld\n", *made);
  return 0;
}
