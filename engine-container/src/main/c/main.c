/* The parent: clones, listens, watches, kills and reaps, one event after the other. */
#define _GNU_SOURCE
#include "children.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define FACT_FAVORDYNMODS 1u
#define FACT_LOOP_DEVICES 2u

/* Refilling waits for a lull, unless little is left: a cage that is being built needs the cpu. */
#define LULL_MS 25

int epoll_fd;

/* Descriptor 3 becomes the agent's socket; nothing else may ever have that number. */
static void reserve_descriptor_3(void) {
  int null = must(open("/dev/null", O_RDONLY | O_CLOEXEC), "/dev/null");
  if (null == 3) return;
  must(dup3(null, 3, O_CLOEXEC), "descriptor 3");
  close(null);
}

static void allow_many_descriptors(void) {
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) < 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

static int pools_are_low(void) { return net_ns_pool_is_low() || spares_are_low(); }

int main(int argc, char **argv) {
  umask(0);
  setsid(); /* Ctrl-C at the server's terminal must not reach the cages */
  reserve_descriptor_3();
  allow_many_descriptors();
  host_prepare(argc, argv);
  spares_clean();
  epoll_fd = must(epoll_create1(EPOLL_CLOEXEC), "epoll");
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = 0};
  must(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, STDIN_FILENO, &event), "epoll");
  send_hello((host.favor >= 0 ? FACT_FAVORDYNMODS : 0) | (loop_usable() ? FACT_LOOP_DEVICES : 0));
  int idle_work = 1;
  for (;;) {
    /* One event at a time: handling one may free what another points to. */
    int n = epoll_wait(epoll_fd, &event, 1, !idle_work ? -1 : pools_are_low() ? 0 : LULL_MS);
    if (n < 0 && errno != EINTR) exit(1);
    if (n == 0) idle_work = net_ns_refill() || spare_refill();
    if (n <= 0) continue;
    struct watched *watched = (struct watched *)(uintptr_t)(event.data.u64 & ~(uint64_t)1);
    if (watched)
      child_event(watched, (int)(event.data.u64 & 1));
    else if (!requests_read())
      break; /* the engine is gone; the cages stay */
    idle_work = 1;
  }
  children_await(SPARE); /* or it would write its image after the engine has seen the end */
  spares_clean();
  return 0;
}
