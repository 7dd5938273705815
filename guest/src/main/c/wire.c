#include "agent.h"

#include <stdlib.h>

static const uint8_t *take(struct cursor *c, size_t n) {
  static const uint8_t zeros[8];
  if (c->bad || (size_t)(c->end - c->at) < n) {
    c->bad = true;
    return zeros;
  }
  const uint8_t *p = c->at;
  c->at += n;
  return p;
}

uint8_t get_u8(struct cursor *c) { return *take(c, 1); }

uint16_t get_u16(struct cursor *c) {
  const uint8_t *p = take(c, 2);
  return (uint16_t)(p[0] | p[1] << 8);
}

uint32_t get_u32(struct cursor *c) {
  const uint8_t *p = take(c, 4);
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

uint64_t get_u64(struct cursor *c) {
  uint64_t low = get_u32(c);
  return low | (uint64_t)get_u32(c) << 32;
}

const char *get_str(struct cursor *c) {
  size_t n = get_u32(c);
  if (c->bad || (size_t)(c->end - c->at) < n + 1 || memchr(c->at, 0, n) || c->at[n] != 0) {
    c->bad = true;
    return "";
  }
  return (const char *)take(c, n + 1);
}

bool get_done(struct cursor *c) { return !c->bad && c->at == c->end; }

uint8_t *put_room(struct buf *b, size_t n) {
  if (b->failed) return NULL;
  if (b->cap - b->len < n) {
    size_t cap = b->cap ? b->cap : 256;
    while (cap - b->len < n) cap *= 2;
    uint8_t *data = realloc(b->data, cap);
    if (!data) {
      b->failed = true;
      return NULL;
    }
    b->data = data;
    b->cap = cap;
  }
  return b->data + b->len;
}

void put(struct buf *b, const void *p, size_t n) {
  if (n == 0) return;
  uint8_t *to = put_room(b, n);
  if (!to) return;
  memcpy(to, p, n);
  b->len += n;
}

void store_u32(uint8_t *p, uint32_t v) {
  p[0] = (uint8_t)v;
  p[1] = (uint8_t)(v >> 8);
  p[2] = (uint8_t)(v >> 16);
  p[3] = (uint8_t)(v >> 24);
}

void put_u8(struct buf *b, uint8_t v) { put(b, &v, 1); }

void put_u16(struct buf *b, uint16_t v) {
  put_u8(b, (uint8_t)v);
  put_u8(b, (uint8_t)(v >> 8));
}

void put_u32(struct buf *b, uint32_t v) {
  uint8_t p[4];
  store_u32(p, v);
  put(b, p, 4);
}

void put_u64(struct buf *b, uint64_t v) {
  put_u32(b, (uint32_t)v);
  put_u32(b, (uint32_t)(v >> 32));
}

void put_str(struct buf *b, const char *s) {
  size_t n = strlen(s);
  put_u32(b, (uint32_t)n);
  put(b, s, n + 1);
}

void buf_free(struct buf *b) {
  free(b->data);
  *b = (struct buf){0};
}
