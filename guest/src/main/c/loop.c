#include "agent.h"

#include <stdlib.h>
#include <time.h>

enum { EVENTS = 64 };

static int epoll_fd;
static void **graves;
static size_t grave_count, grave_cap;

void loop_init(void) {
  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd < 0) _exit(70);
}

int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A hang-up is reported even when nothing is asked for, so "not now" means leaving the set. */
bool loop_watch(struct source *s, uint32_t events) {
  if (s->events == events) return true;
  struct epoll_event event = {.events = events, .data.ptr = s};
  int how = events == 0 ? EPOLL_CTL_DEL : s->events == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  if (epoll_ctl(epoll_fd, how, s->fd, &event) < 0) return false;
  s->events = events;
  return true;
}

void loop_drop(struct source *s) {
  if (s->fd < 0) return;
  loop_watch(s, 0);
  close(s->fd);
  s->fd = -1;
}

void loop_free(void *p) {
  if (!p) return;
  if (grave_count == grave_cap) {
    size_t cap = grave_cap ? grave_cap * 2 : 16;
    void **more = realloc(graves, cap * sizeof *more);
    if (!more) return; /* better leaked than named by a later event */
    graves = more;
    grave_cap = cap;
  }
  graves[grave_count++] = p;
}

void loop_round(int64_t deadline) {
  int timeout = -1;
  if (deadline >= 0) {
    int64_t left = deadline - now_ns();
    timeout = left <= 0 ? 0 : left > 60000000000 ? 60000 : (int)(left / 1000000 + 1);
  }
  struct epoll_event events[EVENTS];
  int n = epoll_wait(epoll_fd, events, EVENTS, timeout);
  for (int i = 0; i < n; i++) {
    struct source *s = events[i].data.ptr;
    /* An earlier event of this round may have dropped it. */
    if (s->fd >= 0 && s->events != 0) s->ready(s, events[i].events);
  }
  while (grave_count > 0) free(graves[--grave_count]);
}
