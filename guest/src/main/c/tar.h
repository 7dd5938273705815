/*
 * The tar format, without files: headers and extended records, taken apart and put together.
 * What is taken apart may be an attack; whatever is not understood is refused with a reason.
 */
#ifndef COVE_TAR_H
#define COVE_TAR_H

#include "agent.h"

enum { TAR_BLOCK = 512, TAR_EXTENDED_MAX = 64 << 10, TAR_IDS = 65536, TAR_NOBODY = 65534 };

enum tar_type {
  TAR_FILE = '0', TAR_HARD_LINK = '1', TAR_SYMLINK = '2', TAR_CHARACTERS = '3', TAR_BLOCKS = '4',
  TAR_FOLDER = '5', TAR_FIFO = '6', TAR_CONTIGUOUS = '7', TAR_PAX = 'x', TAR_PAX_GLOBAL = 'g',
  TAR_LONG_NAME = 'L', TAR_LONG_LINK = 'K',
};

struct tar_entry {
  enum tar_type type;
  mode_t mode;
  uid_t uid;
  gid_t gid;
  uint64_t size; /* of the content that follows */
  int64_t seconds;
  int32_t nanos;
  char name[PATH_BYTES], link[PATH_BYTES];
};

/* Each says why it refuses, or NULL. */
const char *tar_read_header(struct tar_entry *, const uint8_t block[TAR_BLOCK]);
const char *tar_read_extended(struct tar_entry *, const uint8_t *records, size_t);
const char *tar_read_long(char to[PATH_BYTES], const uint8_t *text, size_t);
const char *tar_clean_name(char *name); /* in place; "" is the folder itself */

bool tar_is_zero(const uint8_t block[TAR_BLOCK]);

struct tar_record {
  const char *key; /* up to key_len */
  const uint8_t *value;
  size_t key_len, value_len;
};
bool tar_next_record(const uint8_t **at, const uint8_t *end, struct tar_record *);
bool tar_record_is(const struct tar_record *, const char *key);

/* The other way round. The capability may have 0 bytes: none. */
void tar_put_entry(struct buf *, const struct tar_entry *, const void *capability, size_t);
void tar_put_padding(struct buf *, uint64_t size); /* after so much content */

#define TAR_XATTR "SCHILY.xattr."

#endif
