#include "pack.h"

#include <stdlib.h>

/* A hash table of fixed size that stops taking in when it is full; names lie behind each other. */

enum { SLOTS = 2 * LINKS_MAX };

struct link_slot {
  uint64_t dev, ino;
  uint32_t name; /* where it begins, plus 1 */
};

static struct link_slot *slot_of(const struct links *l, uint64_t dev, uint64_t ino) {
  size_t i = (size_t)((ino + dev * 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull >> 40) % SLOTS;
  while (l->slots[i].name && (l->slots[i].dev != dev || l->slots[i].ino != ino)) i = (i + 1) % SLOTS;
  return &l->slots[i];
}

const char *links_find(const struct links *l, uint64_t dev, uint64_t ino) {
  if (!l->slots) return NULL;
  const struct link_slot *slot = slot_of(l, dev, ino);
  return slot->name ? (const char *)l->names.data + slot->name - 1 : NULL;
}

void links_add(struct links *l, uint64_t dev, uint64_t ino, const char *name) {
  size_t n = strlen(name) + 1;
  if (l->count >= LINKS_MAX || l->names.len + n > LINK_NAMES_MAX) return;
  if (!l->slots) l->slots = calloc(SLOTS, sizeof *l->slots);
  if (!l->slots) return;
  size_t at = l->names.len;
  put(&l->names, name, n);
  if (l->names.failed) { /* what it holds is still good */
    l->names.failed = false;
    return;
  }
  *slot_of(l, dev, ino) = (struct link_slot){dev, ino, (uint32_t)at + 1};
  l->count++;
}

void links_free(struct links *l) {
  free(l->slots);
  buf_free(&l->names);
}
