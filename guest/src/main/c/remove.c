#include "job.h"

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
  int64_t at;  /* where to read on */
  dev_t dev;
  ino_t ino;
  char *name;  /* in the level above */
};

struct removal {
  int parent; /* holds the root of the tree */
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

static void remove_release(struct job *j) {
  struct removal *r = j->state;
  if (!r) return;
  for (int i = 0; i < r->count; i++) {
    if (r->levels[i].fd >= 0) close(r->levels[i].fd);
    free(r->levels[i].name);
  }
  if (r->parent >= 0) close(r->parent);
  free(r->levels);
  free(r);
  j->state = NULL;
}

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
  int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
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
  r->levels[r->count++] =
      (struct level){.fd = fd, .dev = st.st_dev, .ino = st.st_ino, .name = copy};
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
  return 0;
}

/* Everything in the topmost folder was seen; 0, or -1 with errno. */
static int ascend(struct removal *r) {
  if (reopen_above(r) < 0) return -1;
  struct level *done = top(r);
  if (unlinkat(above(r), done->name, AT_REMOVEDIR) < 0) {
    if (errno != ENOTEMPTY || ++done->passes > PASSES_MAX) return -1;
    r->batch_len = r->batch_at = 0;
    return lseek(done->fd, 0, SEEK_SET) < 0 ? -1 : 0; /* something was added: once more */
  }
  close(done->fd);
  free(done->name);
  r->count--;
  r->batch_len = r->batch_at = 0;
  if (r->count == 0) return 0;
  return lseek(top(r)->fd, top(r)->at, SEEK_SET) < 0 ? -1 : 0;
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
  return remove_name(r, l->fd, name, e->type == DT_DIR);
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
  struct removal *r = calloc(1, sizeof *r);
  if (!r) {
    close(parent);
    return job_fail(j, ENOMEM, "The agent has no memory for this");
  }
  j->state = r;
  r->parent = parent;
  return descend(r, parent, name) < 0 ? job_fail_path(j, "Can't remove") : STEP_MORE;
}

static enum step remove_step(struct job *j) {
  if (!j->state) {
    enum step begun = remove_begin(j);
    if (begun != STEP_MORE) return begun;
  }
  struct removal *r = j->state;
  int64_t until = now_ns() + SLICE_NS;
  for (int i = 1; r->count > 0; i++) {
    if (remove_next(r) < 0) return job_fail_path(j, "Can't remove all of");
    if (i % OPS_PER_LOOK == 0 && (now_ns() > until || atomic_load(&j->cancelled))) return STEP_MORE;
  }
  return STEP_DONE;
}

void op_remove(struct channel *ch, struct cursor *c) {
  job_start(ch, c, remove_step, remove_release, 0);
}
