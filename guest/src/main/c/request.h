/* What somebody wants to have run, as the arguments of START say it. */
#ifndef COVE_REQUEST_H
#define COVE_REQUEST_H

#include "agent.h"

enum { FLAG_STDIN = 1, FLAG_TERMINAL = 2, FLAG_KEEP = 4 };

struct request {
  uint8_t flags;
  int rows, cols;
  uint64_t timeout_ms;
  const char *user, *cwd;
  char **argv, **envp;
  uint32_t argc, envc;
  const char *path;
  struct buf defaults; /* the text of environment entries that the host left out */
};

bool request_get(struct cursor *, struct request *); /* its strings stay where the cursor found them */
void request_complete(struct request *, const struct user *); /* defaults; see defaults.failed */
void request_free(struct request *);

#endif
