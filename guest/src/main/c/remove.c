#include "job.h"
#include "remove.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>

/*
 * Removing a tree of any depth and width, without recursion and without ever following a link.
 *
 * Only names within open folders are used. The uppermost levels keep their folder open and remember
 * where they were; below that a level is left through "..", which must lead back to the very folder
 * we came from: a folder that was moved away in the meantime would otherwise take us along.
 */
enum { OPEN_LEVELS = 64, LEVELS_MAX = 1 << 17, BATCH = 8 << 10, PASSES_MAX = 64 };
enum { SLICE_NS = 20000000, OPS_PER_LOOK = 64 };

struct level {
  int fd;      /* -1: to be opened again through ".." */
  int passes;
  bool kept;   /* it stays, or something in it does */
  bool skipping; /* opened again: what was read before, up to last_kept, is passed over */
  char *last_kept; /* a folder in it that stayed */
  int64_t at;  /* where to read on */
  dev_t dev;
  ino_t ino;
  char *name;  /* in the level above */
};

struct removal {
  int parent; /* holds the root of the tree */
  struct removal_rules rules;
  bool kept;
  struct level *levels;
  int count, cap;
  size_t batch_len, batch_at;
  char batch[BATCH] __attribute__((aligned(16)));
};

struct entry { /* what getdents64 writes */
  uint64_t ino;
  int64_t off;
  uint16_t reclen;
  uint8_t type;
  char name[];
};

void removal_free(struct removal *r) {
  if (!r) return;
  for (int i = 0; i < r->count; i++) {
    if (r->levels[i].fd >= 0) close(r->levels[i].fd);
    free(r->levels[i].name);
    free(r->levels[i].last_kept);
  }
  if (r->parent >= 0) close(r->parent);
  free(r->levels);
  free(r);
}

bool removal_complete(const struct removal *r) { return !r->kept; }

static struct level *top(struct removal *r) { return &r->levels[r->count - 1]; }

static int above(struct removal *r) {
  return r->count > 1 ? r->levels[r->count - 2].fd : r->parent;
}

/* Goes into a folder; 0, or -1 with errno. */
static int descend(struct removal *r, int dir, const char *name) {
  if (r->count == r->cap) {
    int cap = r->cap ? r->cap * 2 : 64;
    struct level *more = cap > LEVELS_MAX ? NULL : realloc(r->levels, (size_t)cap * sizeof *more);
    if (!more) {
      errno = ENOMEM;
      return -1;
    }
    r->levels = more;
    r->cap = cap;
  }
  int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  int fd = r->rules.one_mount ? open_beneath(dir, name, flags) : openat(dir, name, flags);
  if (fd < 0) return -1;
  struct stat st;
  char *copy = strdup(name);
  if (!copy || fstat(fd, &st) < 0) {
    free(copy);
    close(fd);
    return -1;
  }
  if (r->count > OPEN_LEVELS) {
    close(top(r)->fd);
    top(r)->fd = -1;
  }
  bool kept = r->rules.keeps && r->rules.keeps(r->rules.owner, &st);
  r->levels[r->count++] = (struct level){
      .fd = fd, .kept = kept, .dev = st.st_dev, .ino = st.st_ino, .name = copy};
  r->batch_len = r->batch_at = 0;
  return 0;
}

/* The folder above must be open before ours is left. */
static int reopen_above(struct removal *r) {
  if (r->count < 2 || r->levels[r->count - 2].fd >= 0) return 0;
  struct level *up = &r->levels[r->count - 2];
  int fd = openat(top(r)->fd, "..", O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return -1;
  struct stat st;
  if (fstat(fd, &st) < 0 || st.st_dev != up->dev || st.st_ino != up->ino) {
    close(fd);
    errno = EBUSY;
    return -1;
  }
  up->fd = fd;
  up->at = 0;
  up->skipping = up->last_kept != NULL;
  return 0;
}

/* The folder that is left stays; its name tells how far the one above was read. */
static void note_kept(struct removal *r) {
  if (r->count < 2) {
    r->kept = true;
    return;
  }
  struct level *up = &r->levels[r->count - 2];
  up->kept = true;
  free(up->last_kept);
  up->last_kept = top(r)->name;
  top(r)->name = NULL;
}

/* Everything in the topmost folder was seen; 0, or -1 with errno. */
static int ascend(struct removal *r) {
  struct level *done = top(r);
  bool stays = done->kept || (r->count == 1 && r->rules.keep_top);
  if (stays) note_kept(r);
  if (reopen_above(r) < 0) return -1;
  if (!stays && unlinkat(above(r), done->name, AT_REMOVEDIR) < 0) {
    if (errno != ENOTEMPTY || ++done->passes > PASSES_MAX) return -1;
    r->batch_len = r->batch_at = 0;
    return lseek(done->fd, 0, SEEK_SET) < 0 ? -1 : 0; /* something was added: once more */
  }
  close(done->fd);
  free(done->name);
  free(done->last_kept);
  r->count--;
  r->batch_len = r->batch_at = 0;
  if (r->count == 0) return 0;
  return lseek(top(r)->fd, top(r)->at, SEEK_SET) < 0 ? -1 : 0;
}

/* What is not ours to remove, and not a reason to stop. */
static bool stays(struct removal *r, int dir, const char *name, bool folder) {
  if (folder || !r->rules.keeps) return false;
  struct stat st;
  if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || S_ISDIR(st.st_mode)) return false;
  return r->rules.keeps(r->rules.owner, &st);
}

/* Removes one name, or goes into it. */
static int remove_name(struct removal *r, int dir, const char *name, bool folder) {
  if (!folder) {
    if (unlinkat(dir, name, 0) == 0 || errno == ENOENT) return 0;
    if (errno != EISDIR && errno != EPERM) return -1;
  }
  int err = errno;
  if (descend(r, dir, name) == 0) return 0;
  if (errno == ENOENT) return 0;
  if (errno == EACCES && unlinkat(dir, name, AT_REMOVEDIR) == 0) return 0; /* closed, but empty */
  if ((errno == ENOTDIR || errno == ELOOP) && folder) /* changed under our eyes */
    return unlinkat(dir, name, 0) == 0 || errno == ENOENT ? 0 : -1;
  if (!folder && (errno == ENOTDIR || errno == ELOOP)) errno = err;
  return -1;
}

/* One name of the topmost folder; 0, or -1 with errno. */
static int remove_next(struct removal *r) {
  struct level *l = top(r);
  if (r->batch_at >= r->batch_len) {
    long n = syscall(SYS_getdents64, l->fd, r->batch, sizeof r->batch);
    if (n < 0) return -1;
    if (n == 0) return ascend(r);
    r->batch_len = (size_t)n;
    r->batch_at = 0;
  }
  const struct entry *e = (const struct entry *)(r->batch + r->batch_at);
  r->batch_at += e->reclen;
  l->at = e->off;
  if (strcmp(e->name, ".") == 0 || strcmp(e->name, "..") == 0) return 0;
  char name[NAME_MAX_BYTES]; /* going into it will reuse the batch */
  strncpy(name, e->name, sizeof name - 1);
  name[sizeof name - 1] = 0;
  if (l->skipping) {
    l->skipping = strcmp(name, l->last_kept) != 0;
    return 0;
  }
  bool folder = e->type == DT_DIR;
  if (stays(r, l->fd, name, folder)) {
    l->kept = true;
    return 0;
  }
  if (remove_name(r, l->fd, name, folder) == 0) return 0;
  if (!r->rules.one_mount || (errno != EXDEV && errno != EBUSY)) return -1;
  l->kept = true;
  return 0;
}

struct removal *removal_begin(int parent, const char *name, const struct removal_rules *rules) {
  struct removal *r = calloc(1, sizeof *r);
  if (!r) {
    close(parent);
    errno = ENOMEM;
    return NULL;
  }
  r->parent = parent;
  r->rules = *rules;
  if (descend(r, parent, name) == 0) return r;
  int err = errno;
  removal_free(r);
  errno = err;
  return NULL;
}

int removal_next(struct removal *r) {
  if (r->count > 0 && remove_next(r) < 0) return -1;
  return r->count > 0;
}

/* ---- the operation */

static void remove_release(struct job *j) {
  removal_free(j->state);
  j->state = NULL;
}


static enum step remove_begin(struct job *j) {
  bool recursive = get_u8(&j->args);
  if (!get_done(&j->args)) return job_fail(j, EINVAL, "The arguments are not well-formed");
  char name[NAME_MAX_BYTES];
  int parent = open_parent(j->path, name);
  if (parent < 0) return job_fail_path(j, "Can't remove");
  int failed = unlinkat(parent, name, 0);
  if (failed && (errno == EISDIR || errno == EPERM)) {
    int err = errno;
    failed = unlinkat(parent, name, AT_REMOVEDIR);
    if (failed && errno == ENOTDIR) errno = err;
  }
  if (!failed || errno != ENOTEMPTY || !recursive) {
    int err = errno;
    close(parent);
    errno = err;
    return failed ? job_fail_path(j, "Can't remove") : STEP_DONE;
  }
  j->state = removal_begin(parent, name, &(struct removal_rules){0});
  return j->state ? STEP_MORE : job_fail_path(j, "Can't remove");
}

static enum step remove_step(struct job *j) {
  if (!j->state) {
    enum step begun = remove_begin(j);
    if (begun != STEP_MORE) return begun;
  }
  struct removal *r = j->state;
  int64_t until = now_ns() + SLICE_NS;
  for (int i = 1, more = 1; more; i++) {
    more = removal_next(r);
    if (more < 0) return job_fail_path(j, "Can't remove all of");
    if (i % OPS_PER_LOOK == 0 && (now_ns() > until || atomic_load(&j->cancelled))) return STEP_MORE;
  }
  return STEP_DONE;
}

void op_remove(struct channel *ch, struct cursor *c) {
  job_start(ch, c, remove_step, remove_release, 0);
}
