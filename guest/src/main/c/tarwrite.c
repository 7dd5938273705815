#include "tar.h"

#include <stdio.h>

/* Headers as POSIX has them since 1988, and an extended one before it for what does not fit. */

enum { NAME_LEN = 100, KEY_MAX = 64 };
#define OCTAL_7 07777777ull
#define OCTAL_11 077777777777ull

/* A record says its own length, which counts its own digits. */
static void put_record(struct buf *b, const char *key, const void *value, size_t n) {
  size_t rest = strlen(key) + n + 3, length = rest;
  char digits[24];
  for (int i = 0; i < 2; i++)
    length = rest + (size_t)snprintf(digits, sizeof digits, "%zu", length);
  char head[KEY_MAX + 32];
  int head_len = snprintf(head, sizeof head, "%zu %s=", length, key);
  put(b, head, (size_t)head_len);
  put(b, value, n);
  put_u8(b, '\n');
}

static void put_decimal(struct buf *b, const char *key, int64_t value) {
  char text[32];
  int n = snprintf(text, sizeof text, "%lld", (long long)value);
  put_record(b, key, text, (size_t)n);
}

void tar_put_padding(struct buf *b, uint64_t size) {
  static const uint8_t zeros[TAR_BLOCK];
  put(b, zeros, (size_t)(-size & (TAR_BLOCK - 1)));
}

static void number(uint8_t *to, int digits, uint64_t value, uint64_t max) {
  char text[16];
  snprintf(text, sizeof text, "%0*llo", digits, (unsigned long long)(value <= max ? value : 0));
  memcpy(to, text, (size_t)digits);
}

static void put_header(struct buf *b, const struct tar_entry *e, enum tar_type type,
                       const char *name, const char *link) {
  uint8_t h[TAR_BLOCK] = {0};
  memcpy(h, name, strnlen(name, NAME_LEN));
  number(h + 100, 7, e->mode & 07777, OCTAL_7);
  number(h + 108, 7, e->uid, OCTAL_7);
  number(h + 116, 7, e->gid, OCTAL_7);
  number(h + 124, 11, e->size, OCTAL_11);
  number(h + 136, 11, e->seconds < 0 ? 0 : (uint64_t)e->seconds, OCTAL_11);
  h[156] = (uint8_t)type;
  memcpy(h + 157, link, strnlen(link, NAME_LEN));
  memcpy(h + 257, "ustar\0" "00", 8);
  unsigned sum = 8 * ' ';
  for (int i = 0; i < TAR_BLOCK; i++) sum += h[i];
  number(h + 148, 6, sum, OCTAL_7);
  h[155] = ' ';
  put(b, h, sizeof h);
}

void tar_put_entry(struct buf *b, const struct tar_entry *e, const void *capability, size_t n) {
  struct buf records = {0};
  size_t name = strlen(e->name), link = strlen(e->link);
  if (name > NAME_LEN) put_record(&records, "path", e->name, name);
  if (link > NAME_LEN) put_record(&records, "linkpath", e->link, link);
  if (e->size > OCTAL_11) put_decimal(&records, "size", (int64_t)e->size);
  if (e->uid > OCTAL_7) put_decimal(&records, "uid", e->uid);
  if (e->gid > OCTAL_7) put_decimal(&records, "gid", e->gid);
  if (e->seconds < 0 || (uint64_t)e->seconds > OCTAL_11) put_decimal(&records, "mtime", e->seconds);
  if (n > 0) put_record(&records, TAR_XATTR "security.capability", capability, n);
  if (records.failed) b->failed = true;
  if (records.len > 0) {
    struct tar_entry extended = {.mode = 0644, .size = records.len};
    put_header(b, &extended, TAR_PAX, "././@PaxHeader", "");
    put(b, records.data, records.len);
    tar_put_padding(b, records.len);
  }
  buf_free(&records);
  put_header(b, e, e->type, e->name, e->link);
}
