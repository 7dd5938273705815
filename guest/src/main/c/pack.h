/* What packing consists of: folders that are being walked, and files that were packed before. */
#ifndef COVE_PACK_H
#define COVE_PACK_H

#include "job.h"

/* ---- links.c: the first name of a file that has several; beyond the bound they are forgotten */

enum { LINKS_MAX = 1 << 15, LINK_NAMES_MAX = 4 << 20 };
struct link_slot;
struct links {
  struct link_slot *slots;
  size_t count;
  struct buf names;
};
const char *links_find(const struct links *, uint64_t dev, uint64_t ino);
void links_add(struct links *, uint64_t dev, uint64_t ino, const char *name);
void links_free(struct links *);

/* ---- names.c: all names in a folder, sorted by their bytes */

struct names {
  struct buf bytes;
  const char **sorted;
  size_t count, next;
};
int names_read(struct names *, int folder, uint64_t max); /* -1 with errno; E2BIG: more than max */
void names_free(struct names *);

#endif
