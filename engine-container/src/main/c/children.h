#ifndef COVE_CHILDREN_H
#define COVE_CHILDREN_H

#include "spawner.h"

enum kind {
  CAGE,  /* its exit is news */
  ERRAND, /* it answers a request and ends */
  SPARE,  /* it prepares an image and sends its mount */
  MEMORY  /* it answers a request with the memory of a machine */
};

/* A process that is watched: a child of ours, or a cage of an earlier spawner. */
struct watched {
  struct watched *next;
  uint64_t start_time;
  uint32_t seq; /* of the request that still waits for an answer; 0 when none does */
  enum kind kind;
  int own; /* a child of ours, to be reaped */
  int pid, pidfd, report;
  int received_fd;
  unsigned char message[1024];
  size_t received;
};

struct watched *child_find(int pid, uint64_t start_time);
struct watched *child_watch(int pid, int pidfd, enum kind kind);

/*
 * Clones a child with a report channel. In the child, returns 1 and reports go to the parent; in
 * the parent 0, or -1 when there is no child.
 */
int child_clone(enum kind kind, uint32_t seq, uint64_t flags, int cgroup);

void child_event(struct watched *watched, int is_report);
void children_await(enum kind kind);
uint64_t start_time_of(int pid);

extern int epoll_fd;

#endif
