#include "pack.h"

#include <stdlib.h>
#include <sys/syscall.h>

enum { BATCH = 16 << 10 };

struct entry { /* what getdents64 writes */
  uint64_t ino;
  int64_t off;
  uint16_t reclen;
  uint8_t type;
  char name[];
};

static bool is_dots(const char *name) {
  return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static int by_bytes(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int collect(struct names *n, int folder, uint64_t max) {
  char batch[BATCH] __attribute__((aligned(16)));
  for (;;) {
    long len = syscall(SYS_getdents64, folder, batch, sizeof batch);
    if (len <= 0) return (int)len;
    for (long at = 0; at < len;) {
      const struct entry *e = (const struct entry *)(batch + at);
      at += e->reclen;
      if (is_dots(e->name)) continue;
      if (n->count++ >= max) {
        errno = E2BIG;
        return -1;
      }
      put(&n->bytes, e->name, strlen(e->name) + 1);
    }
  }
}

int names_read(struct names *n, int folder, uint64_t max) {
  *n = (struct names){0};
  if (collect(n, folder, max) < 0) return -1;
  if (n->count == 0) return 0;
  n->sorted = malloc(n->count * sizeof *n->sorted);
  if (!n->sorted || n->bytes.failed) {
    errno = ENOMEM;
    return -1;
  }
  const char *name = (const char *)n->bytes.data;
  for (size_t i = 0; i < n->count; i++, name += strlen(name) + 1) n->sorted[i] = name;
  qsort(n->sorted, n->count, sizeof *n->sorted, by_bytes);
  return 0;
}

void names_free(struct names *n) {
  buf_free(&n->bytes);
  free(n->sorted);
  n->sorted = NULL;
}
