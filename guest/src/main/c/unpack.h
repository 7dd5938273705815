/* What unpacking consists of: where names lead, what this archive has put there, and when. */
#ifndef COVE_UNPACK_H
#define COVE_UNPACK_H

#include "job.h"
#include "remove.h"

/* ---- marks.c: files that were put there, by device and inode */

struct marks {
  uint64_t *slots;
  size_t count, cap;
};
bool marks_add(struct marks *, const struct stat *); /* false: no memory */
bool marks_has(const struct marks *, const struct stat *);
void marks_free(struct marks *);

/* ---- place.c: names below the folder that is unpacked into */

struct place {
  int root;
  int folder; /* the one used last, or -1 */
  char folder_name[PATH_BYTES];
  bool stale; /* something was removed: its name may lead elsewhere now */
  uint64_t made, made_max; /* what counts against the limit on entries */
  struct marks *marks;     /* or NULL */
  const atomic_bool *cancelled;
};

/*
 * The folder that a clean name lies in, and its last part. The descriptor stays the place's and is
 * good until the next call. -1 with errno; EXDEV: it would lie on another mount.
 */
int place_folder(struct place *, const char *name, bool make, const char **last);
void place_remember(struct place *, const char *name, int folder); /* takes the descriptor */
void place_forget(struct place *);
/* Makes room for something else. EBUSY: part of it is on another mount. */
int place_clear(struct place *, int folder, const char *name);
/* Removes what lies there, but not what this archive put there. */
int place_whiteout(struct place *, int folder, const char *name);
int place_opaque(struct place *, int folder);

/* ---- times.c: of folders, set when nothing will be put into them any more */

struct times {
  struct buf entries;
  size_t done;
};
enum { TIMES_MAX = 4 << 20 };
bool times_add(struct times *, const char *name, int64_t seconds, int32_t nanos);
bool times_full(const struct times *);
bool times_set_next(struct times *, int root); /* false: that was all */

#endif
