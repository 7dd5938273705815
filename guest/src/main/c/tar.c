#include "tar.h"

#include <limits.h>

/* Where the fields of a header lie. */
enum {
  NAME = 0, NAME_LEN = 100, MODE = 100, UID = 108, GID = 116, ID_LEN = 8, SIZE = 124, TIME = 136,
  LONG_LEN = 12, CHECKSUM = 148, CHECKSUM_LEN = 8, TYPE = 156, LINK = 157, MAGIC = 257,
  PREFIX = 345, PREFIX_LEN = 155,
};

bool tar_is_zero(const uint8_t block[TAR_BLOCK]) {
  for (int i = 0; i < TAR_BLOCK; i++)
    if (block[i]) return false;
  return true;
}

/* Two's complement over the whole field, with the uppermost bit as the sign that it is one. */
static bool read_binary(const uint8_t *p, size_t n, int64_t *value) {
  bool negative = p[0] & 0x40;
  uint64_t v = negative ? ~0ull : 0;
  for (size_t i = 0; i < n; i++) {
    uint8_t byte = i > 0 ? p[i] : negative ? (uint8_t)(p[0] | 0x80) : (uint8_t)(p[0] & 0x7f);
    if (n - i > 8) {
      if (byte != (negative ? 0xff : 0)) return false;
    } else {
      v = v << 8 | byte;
    }
  }
  *value = (int64_t)v;
  return n < 8 || (*value < 0) == negative;
}

/* Octal digits between spaces, ended by a space, a NUL or the field. An empty field is 0. */
static bool read_number(const uint8_t *p, size_t n, int64_t *value) {
  if (p[0] & 0x80) return read_binary(p, n, value);
  size_t i = 0;
  int64_t v = 0;
  while (i < n && p[i] == ' ') i++;
  for (; i < n && p[i] >= '0' && p[i] <= '7'; i++) v = v << 3 | (p[i] - '0');
  for (; i < n; i++) {
    if (p[i] == 0) break;
    if (p[i] != ' ') return false;
  }
  *value = v;
  return true;
}

/* Some old writers added up signed characters. */
static bool checksum_fits(const uint8_t *block) {
  int64_t stated, plain = 0, with_sign = 0;
  if (!read_number(block + CHECKSUM, CHECKSUM_LEN, &stated)) return false;
  for (int i = 0; i < TAR_BLOCK; i++) {
    uint8_t byte = i >= CHECKSUM && i < CHECKSUM + CHECKSUM_LEN ? ' ' : block[i];
    plain += byte;
    with_sign += (int8_t)byte;
  }
  return stated == plain || stated == with_sign;
}

static uid_t id_of(int64_t value) {
  return value >= 0 && value < TAR_IDS ? (uid_t)value : TAR_NOBODY;
}

static size_t field(char *to, const uint8_t *p, size_t n) {
  size_t len = strnlen((const char *)p, n);
  memcpy(to, p, len);
  to[len] = 0;
  return len;
}

static const char *read_names(struct tar_entry *e, const uint8_t *block) {
  size_t n = 0;
  /* GNU's own format has a space there, and other things where the prefix is. */
  if (memcmp(block + MAGIC, "ustar", 6) == 0 && block[PREFIX]) {
    n = field(e->name, block + PREFIX, PREFIX_LEN);
    e->name[n++] = '/';
  }
  field(e->name + n, block + NAME, NAME_LEN);
  field(e->link, block + LINK, NAME_LEN);
  return NULL;
}

static bool has_content(enum tar_type type) {
  return type == TAR_FILE || type == TAR_PAX || type == TAR_PAX_GLOBAL || type == TAR_LONG_NAME ||
         type == TAR_LONG_LINK;
}

static const char *read_type(struct tar_entry *e, uint8_t type) {
  switch (type) {
    case 0:
    case TAR_FILE:
    case TAR_CONTIGUOUS:
      e->type = TAR_FILE;
      break;
    case TAR_HARD_LINK:
    case TAR_SYMLINK:
    case TAR_CHARACTERS:
    case TAR_BLOCKS:
    case TAR_FOLDER:
    case TAR_FIFO:
    case TAR_PAX:
    case TAR_PAX_GLOBAL:
    case TAR_LONG_NAME:
    case TAR_LONG_LINK:
      e->type = type;
      break;
    case 'S':
      return "it is a sparse file, which is not supported";
    case 'M':
      return "it is part of an archive in several volumes, which is not supported";
    default:
      return "its type is unknown";
  }
  /* Old writers put the size of the file into the header of a link to it; no content follows. */
  if (!has_content(e->type)) e->size = 0;
  return NULL;
}

const char *tar_read_header(struct tar_entry *e, const uint8_t block[TAR_BLOCK]) {
  if (!checksum_fits(block)) return "the checksum of a header is wrong";
  read_names(e, block);
  int64_t mode, uid, gid, size, seconds;
  if (!read_number(block + MODE, ID_LEN, &mode) || !read_number(block + UID, ID_LEN, &uid) ||
      !read_number(block + GID, ID_LEN, &gid) || !read_number(block + SIZE, LONG_LEN, &size) ||
      !read_number(block + TIME, LONG_LEN, &seconds))
    return "a number in its header is malformed";
  if (size < 0) return "its size is negative";
  e->mode = (mode_t)mode & 07777;
  e->uid = id_of(uid);
  e->gid = id_of(gid);
  e->size = (uint64_t)size;
  e->seconds = seconds;
  e->nanos = 0;
  return read_type(e, block[TYPE]);
}

/* ---- extended headers: "LENGTH KEY=VALUE\n", one after the other */

bool tar_next_record(const uint8_t **at, const uint8_t *end, struct tar_record *r) {
  const uint8_t *start = *at, *p = start;
  size_t length = 0;
  while (p < end && *p >= '0' && *p <= '9' && length <= TAR_EXTENDED_MAX)
    length = length * 10 + (size_t)(*p++ - '0');
  if (p == start || p == end || *p != ' ' || length > (size_t)(end - start)) return false;
  const uint8_t *last = start + length - 1;
  if (last <= p || *last != '\n') return false;
  p++;
  const uint8_t *equals = memchr(p, '=', (size_t)(last - p));
  if (!equals || equals == p) return false;
  *r = (struct tar_record){(const char *)p, equals + 1, (size_t)(equals - p),
                           (size_t)(last - equals - 1)};
  *at = last + 1;
  return true;
}

bool tar_record_is(const struct tar_record *r, const char *key) {
  return strlen(key) == r->key_len && memcmp(r->key, key, r->key_len) == 0;
}

/* A decimal number, perhaps with a sign, and what follows it. */
static bool read_decimal(const uint8_t **at, const uint8_t *end, int64_t *value) {
  const uint8_t *p = *at;
  bool negative = p < end && *p == '-';
  if (negative) p++;
  const uint8_t *digits = p;
  int64_t v = 0;
  for (; p < end && *p >= '0' && *p <= '9'; p++) {
    if (v > (INT64_MAX - 9) / 10) return false;
    v = v * 10 + (*p - '0');
  }
  if (p == digits) return false;
  *value = negative ? -v : v;
  *at = p;
  return true;
}

static bool read_whole(const struct tar_record *r, int64_t *value) {
  const uint8_t *at = r->value, *end = at + r->value_len;
  return read_decimal(&at, end, value) && at == end;
}

static bool read_time(struct tar_entry *e, const struct tar_record *r) {
  const uint8_t *at = r->value, *end = at + r->value_len;
  bool negative = at < end && *at == '-';
  if (!read_decimal(&at, end, &e->seconds)) return false;
  e->nanos = 0;
  if (at == end) return true;
  if (*at++ != '.') return false;
  for (int32_t unit = 100000000; at < end && *at >= '0' && *at <= '9'; at++, unit /= 10)
    e->nanos += unit * (*at - '0');
  if (negative && e->nanos > 0) { /* nanoseconds count forwards */
    e->seconds--;
    e->nanos = 1000000000 - e->nanos;
  }
  return at == end;
}

static const char *read_text(char to[PATH_BYTES], const struct tar_record *r) {
  if (r->value_len >= PATH_BYTES) return "a name in its extended header is too long";
  if (memchr(r->value, 0, r->value_len)) return "a name in its extended header contains a NUL";
  memcpy(to, r->value, r->value_len);
  to[r->value_len] = 0;
  return NULL;
}

static const char *read_record(struct tar_entry *e, const struct tar_record *r) {
  static const char *const malformed = "a number in its extended header is malformed";
  int64_t v;
  if (r->key_len >= 11 && memcmp(r->key, "GNU.sparse.", 11) == 0)
    return "it is a sparse file, which is not supported";
  if (r->value_len == 0) return NULL; /* what the header itself says */
  if (tar_record_is(r, "path")) return read_text(e->name, r);
  if (tar_record_is(r, "linkpath")) return read_text(e->link, r);
  if (tar_record_is(r, "mtime")) return read_time(e, r) ? NULL : malformed;
  if (tar_record_is(r, "uid") || tar_record_is(r, "gid")) {
    if (!read_whole(r, &v)) return malformed;
    *(r->key[0] == 'u' ? &e->uid : &e->gid) = id_of(v);
  } else if (tar_record_is(r, "size")) {
    if (!read_whole(r, &v) || v < 0) return malformed;
    if (has_content(e->type)) e->size = (uint64_t)v;
  }
  return NULL;
}

const char *tar_read_extended(struct tar_entry *e, const uint8_t *records, size_t n) {
  const uint8_t *at = records, *end = records + n;
  while (at < end) {
    struct tar_record r;
    if (!tar_next_record(&at, end, &r)) return "its extended header is malformed";
    const char *problem = read_record(e, &r);
    if (problem) return problem;
  }
  return NULL;
}

const char *tar_read_long(char to[PATH_BYTES], const uint8_t *text, size_t n) {
  while (n > 0 && text[n - 1] == 0) n--;
  if (n >= PATH_BYTES) return "a long name is too long";
  if (memchr(text, 0, n)) return "a long name contains a NUL";
  memcpy(to, text, n);
  to[n] = 0;
  return NULL;
}

/* Without "/" at either end, "." and empty parts. */
const char *tar_clean_name(char *name) {
  if (!*name) return "its name is empty";
  char *to = name;
  for (const char *p = name; *p;) {
    size_t n = strcspn(p, "/");
    if (n == 2 && p[0] == '.' && p[1] == '.') return "its name contains \"..\"";
    if (n > 0 && !(n == 1 && p[0] == '.')) {
      if (to != name) *to++ = '/';
      memmove(to, p, n);
      to += n;
    }
    p += n;
    while (*p == '/') p++;
  }
  *to = 0;
  return NULL;
}
