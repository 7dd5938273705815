#include "unpack.h"

#include <fcntl.h>

/* Each entry: i64 seconds, u32 nanoseconds, the name as a text. */

bool times_add(struct times *t, const char *name, int64_t seconds, int32_t nanos) {
  put_u64(&t->entries, (uint64_t)seconds);
  put_u32(&t->entries, (uint32_t)nanos);
  put_str(&t->entries, name);
  return !t->entries.failed;
}

bool times_full(const struct times *t) { return t->entries.len >= TIMES_MAX; }

bool times_set_next(struct times *t, int root) {
  struct cursor c = {t->entries.data + t->done, t->entries.data + t->entries.len, false};
  if (t->done >= t->entries.len) {
    t->entries.len = t->done = 0;
    return false;
  }
  int64_t seconds = (int64_t)get_u64(&c);
  int32_t nanos = (int32_t)get_u32(&c);
  const char *name = get_str(&c);
  t->done = (size_t)(c.at - t->entries.data);
  /* It may be gone by now, or be something else; then there is nothing to set. */
  int fd = open_beneath(root, *name ? name : ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return true;
  struct timespec both[2] = {{seconds, nanos}, {seconds, nanos}};
  futimens(fd, both);
  close(fd);
  return true;
}
