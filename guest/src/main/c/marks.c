#include "unpack.h"

#include <stdlib.h>

/* A hash set. Two files may look alike to it, once in an age: then one is kept that should go. */

enum { FIRST_CAP = 1024 };

static uint64_t key_of(const struct stat *st) {
  uint64_t x = (uint64_t)st->st_ino + (uint64_t)st->st_dev * 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  x ^= x >> 31;
  return x ? x : 1;
}

static uint64_t *slot_of(const struct marks *m, uint64_t key) {
  size_t i = (size_t)key & (m->cap - 1);
  while (m->slots[i] && m->slots[i] != key) i = (i + 1) & (m->cap - 1);
  return &m->slots[i];
}

static bool grow(struct marks *m) {
  struct marks bigger = {.cap = m->cap ? m->cap * 2 : FIRST_CAP, .count = m->count};
  bigger.slots = calloc(bigger.cap, sizeof *bigger.slots);
  if (!bigger.slots) return false;
  for (size_t i = 0; i < m->cap; i++)
    if (m->slots[i]) *slot_of(&bigger, m->slots[i]) = m->slots[i];
  free(m->slots);
  *m = bigger;
  return true;
}

bool marks_add(struct marks *m, const struct stat *st) {
  if (m->count * 4 >= m->cap * 3 && !grow(m)) return false;
  uint64_t key = key_of(st), *slot = slot_of(m, key);
  if (!*slot) m->count++;
  *slot = key;
  return true;
}

bool marks_has(const struct marks *m, const struct stat *st) {
  return m->cap > 0 && *slot_of(m, key_of(st)) != 0;
}

void marks_free(struct marks *m) {
  free(m->slots);
  *m = (struct marks){0};
}
