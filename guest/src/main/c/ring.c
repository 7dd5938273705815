#include "agent.h"

#include <sys/mman.h>

/*
 * Rings are mapped, not allocated, and not copied by fork: starting a command must not cost more
 * because others have talked a lot.
 */
static size_t total;

size_t rings_total(void) { return total; }

size_t ring_unread(const struct ring *r) { return (size_t)(r->head - r->sent); }

static size_t reachable(const struct ring *r) {
  size_t cap = r->cap ? r->cap : RING_MIN;
  while (cap < RING_MAX && total - r->cap + cap * 4 <= RINGS_TOTAL_MAX) cap *= 4;
  return cap;
}

size_t ring_room(const struct ring *r) {
  size_t cap = reachable(r), unread = ring_unread(r);
  return cap > unread ? cap - unread : 0;
}

static void copy_out(const struct ring *r, uint64_t from, uint8_t *to, size_t n) {
  size_t at = (size_t)from & (r->cap - 1), first = r->cap - at;
  if (first > n) first = n;
  memcpy(to, r->data + at, first);
  memcpy(to + first, r->data, n - first);
}

static bool grow(struct ring *r, size_t cap) {
  uint8_t *data = mmap(NULL, cap, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return false;
  madvise(data, cap, MADV_DONTFORK);
  struct ring bigger = {data, cap, r->head, r->tail, r->sent};
  for (uint64_t at = r->tail; at < r->head;) {
    size_t to = (size_t)at & (cap - 1), n = cap - to;
    if (n > r->head - at) n = (size_t)(r->head - at);
    copy_out(r, at, data + to, n);
    at += n;
  }
  if (r->data) munmap(r->data, r->cap);
  total += cap - r->cap;
  *r = bigger;
  return true;
}

/* history: what was sent already is worth keeping, too. */
void ring_put(struct ring *r, const uint8_t *p, size_t n, bool history) {
  size_t kept = (size_t)(r->head - (history ? r->tail : r->sent));
  while (r->cap < RING_MAX && (r->cap == 0 || kept + n > r->cap)) {
    size_t cap = r->cap ? r->cap * 4 : RING_MIN;
    if (r->cap && total - r->cap + cap > RINGS_TOTAL_MAX && !process_evict_finished()) break;
    if (!grow(r, cap)) break;
  }
  if (r->cap == 0) { /* no memory at all: the bytes are lost, and counted as such */
    r->head += n;
    r->tail = r->sent = r->head;
    return;
  }
  if (n > r->cap) {
    r->head += n - r->cap;
    p += n - r->cap;
    n = r->cap;
  }
  size_t at = (size_t)r->head & (r->cap - 1), first = r->cap - at;
  if (first > n) first = n;
  memcpy(r->data + at, p, first);
  memcpy(r->data, p + first, n - first);
  r->head += n;
  if (r->head - r->tail > r->cap) r->tail = r->head - r->cap;
  if (r->sent < r->tail) r->sent = r->tail;
}

size_t ring_take(struct ring *r, uint8_t *to, size_t n) {
  if (n > ring_unread(r)) n = ring_unread(r);
  if (n) copy_out(r, r->sent, to, n);
  r->sent += n;
  return n;
}

void ring_rewind(struct ring *r) { r->sent = r->tail; }

void ring_free(struct ring *r) {
  if (r->data) munmap(r->data, r->cap);
  total -= r->cap;
  *r = (struct ring){0};
}
