#include "job.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/vfs.h>

/* Reading and writing whole files, chunk by chunk. */

enum { CHUNK = 128 << 10, LINKS_MAX = 40, PROC_MAGIC = 0x9fa0 };

/* ---- read */

struct reading {
  int fd;
  uint64_t left;
};

static void read_release(struct job *j) {
  struct reading *r = j->state;
  if (!r) return;
  if (r->fd >= 0) close(r->fd);
  free(r);
  j->state = NULL;
}

static enum step refuse_type(struct job *j, mode_t mode) {
  if (S_ISDIR(mode)) return job_fail(j, EISDIR, "%.200s is a folder", j->path);
  return job_fail(j, EINVAL, "%.200s is not an ordinary file", j->path);
}

static enum step read_begin(struct job *j) {
  int64_t offset = (int64_t)get_u64(&j->args), length = (int64_t)get_u64(&j->args);
  if (!get_done(&j->args) || offset < 0)
    return job_fail(j, EINVAL, "The arguments are not well-formed");
  struct reading *r = calloc(1, sizeof *r);
  if (!r) return job_fail(j, ENOMEM, "The agent has no memory for this");
  j->state = r;
  r->fd = open_path(AT_FDCWD, j->path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
  struct stat st;
  if (r->fd < 0 || fstat(r->fd, &st) < 0) return job_fail_path(j, "Can't read");
  if (!S_ISREG(st.st_mode)) return refuse_type(j, st.st_mode);
  if (offset > 0 && lseek(r->fd, offset, SEEK_SET) < 0) return job_fail_path(j, "Can't read");
  /* A file that grows while it is read ends where it ended when opened; those of /proc say 0. */
  uint64_t there = st.st_size == 0 ? UINT64_MAX : st.st_size > offset ? (uint64_t)(st.st_size - offset) : 0;
  r->left = length >= 0 && (uint64_t)length < there ? (uint64_t)length : there;
  put_file(&j->reply, j->path, &st, "");
  return STEP_MORE;
}

static enum step read_step(struct job *j) {
  struct reading *r = j->state;
  if (!r) return read_begin(j);
  size_t want = r->left < CHUNK ? (size_t)r->left : CHUNK;
  if (want == 0) return STEP_DONE;
  if (j->out.cap < want) { /* straight into the buffer that is sent, which stays the job's */
    buf_free(&j->out);
    j->out.data = malloc(want);
    if (!j->out.data) return job_fail(j, ENOMEM, "The agent has no memory for this");
    j->out.cap = want;
  }
  ssize_t n = read(r->fd, j->out.data, want);
  if (n < 0) return job_fail_path(j, "Can't read");
  if (n == 0) return STEP_DONE;
  j->out.len = (size_t)n;
  r->left -= (uint64_t)n;
  return STEP_MORE;
}

/* ---- write */

struct writing {
  int dir, fd;
  bool exists, has_mode;
  mode_t mode;
  struct stat old;
  char name[NAME_MAX_BYTES], temp[64];
};

static void write_release(struct job *j) {
  struct writing *w = j->state;
  if (!w) return;
  if (w->fd >= 0) close(w->fd);
  if (w->dir >= 0) {
    if (*w->temp) unlinkat(w->dir, w->temp, 0);
    close(w->dir);
  }
  free(w);
  j->state = NULL;
}

static bool in_proc(int dir) {
  struct statfs fs;
  return fstatfs(dir, &fs) == 0 && fs.f_type == PROC_MAGIC;
}

/*
 * A link as the last name is followed by hand, as opening it for writing would: the new content must
 * lie beside what is replaced. A link of /proc is refused; its text need not be where it leads.
 */
static bool follow_links(struct writing *w) {
  for (int i = 0; i < LINKS_MAX; i++) {
    w->exists = fstatat(w->dir, w->name, &w->old, AT_SYMLINK_NOFOLLOW) == 0;
    if (!w->exists) return errno == ENOENT;
    if (!S_ISLNK(w->old.st_mode)) return true;
    if (in_proc(w->dir)) break;
    char target[PATH_BYTES];
    read_link(w->dir, w->name, target);
    char *slash = strrchr(target, '/');
    const char *name = slash ? slash + 1 : target;
    size_t n = strlen(name);
    if (n == 0 || n >= sizeof w->name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
      errno = EISDIR;
      return false;
    }
    memcpy(w->name, name, n + 1);
    if (!slash) continue;
    slash[1] = 0;
    int dir = open_path(w->dir, target, O_PATH | O_DIRECTORY, 0);
    if (dir < 0) return false;
    close(w->dir);
    w->dir = dir;
  }
  errno = ELOOP;
  return false;
}

/* Replacing needs only the folder's permission; a file that may not be written stays as it is. */
static bool may_replace(struct writing *w) {
  int fd = openat(w->dir, w->name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return errno == ETXTBSY;
  close(fd);
  return true;
}

static bool open_temp(struct writing *w) {
  for (int i = 0; i < 16; i++) {
    uint64_t random;
    if (getrandom(&random, sizeof random, 0) != sizeof random) return false;
    snprintf(w->temp, sizeof w->temp, ".cove-%016llx.tmp", (unsigned long long)random);
    w->fd = openat(w->dir, w->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (w->fd >= 0) return true;
    int err = errno;
    *w->temp = 0;
    errno = err;
    if (err != EEXIST) return false;
  }
  return false;
}

static int make_parents(const char *path) {
  char parent[PATH_BYTES];
  size_t n = strlen(path);
  while (n > 0 && path[n - 1] == '/') n--;
  while (n > 0 && path[n - 1] != '/') n--;
  if (n >= sizeof parent) {
    errno = ENAMETOOLONG;
    return -1;
  }
  if (n <= 1) return 0;
  memcpy(parent, path, n - 1);
  parent[n - 1] = 0;
  return make_folders(parent, 0755);
}

static enum step write_begin(struct job *j) {
  int32_t mode = (int32_t)get_u32(&j->args);
  bool parents = get_u8(&j->args);
  if (!get_done(&j->args)) return job_fail(j, EINVAL, "The arguments are not well-formed");
  struct writing *w = calloc(1, sizeof *w);
  if (!w) return job_fail(j, ENOMEM, "The agent has no memory for this");
  w->dir = w->fd = -1;
  w->has_mode = mode >= 0;
  w->mode = (mode_t)mode & 07777;
  j->state = w;
  if (parents && make_parents(j->path) < 0) return job_fail_path(j, "Can't make the folders above");
  w->dir = open_parent(j->path, w->name);
  if (w->dir < 0 || !follow_links(w)) return job_fail_path(j, "Can't write");
  if (w->exists && !S_ISREG(w->old.st_mode)) return refuse_type(j, w->old.st_mode);
  if (w->exists && !may_replace(w)) return job_fail_path(j, "Can't write");
  return open_temp(w) ? STEP_INPUT : job_fail_path(j, "Can't write beside");
}

/*
 * The old owner stays where we may say so (root); otherwise the file is the writer's own, and then
 * without bits that would lend his rights to others.
 */
static bool take_over_looks(struct writing *w) {
  mode_t mode = w->has_mode ? w->mode : w->exists ? w->old.st_mode & 07777 : 0644;
  struct stat st;
  if (w->exists && fstat(w->fd, &st) == 0 &&
      (st.st_uid != w->old.st_uid || st.st_gid != w->old.st_gid) &&
      fchown(w->fd, w->old.st_uid, w->old.st_gid) < 0) {
    if (fchown(w->fd, (uid_t)-1, w->old.st_gid) < 0 && !w->has_mode) mode &= 0777;
    else if (!w->has_mode) mode &= 03777;
  }
  return fchmod(w->fd, mode) == 0;
}

static enum step write_finish(struct job *j) {
  struct writing *w = j->state;
  struct stat st;
  if (!take_over_looks(w) || fsync(w->fd) < 0 || fstat(w->fd, &st) < 0 ||
      renameat(w->dir, w->temp, w->dir, w->name) < 0)
    return job_fail_path(j, "Can't write");
  *w->temp = 0;
  put_file(&j->reply, j->path, &st, "");
  return STEP_DONE;
}

static enum step write_step(struct job *j) {
  struct writing *w = j->state;
  if (!w) return write_begin(j);
  for (size_t at = 0; at < j->in.len;) {
    ssize_t n = write(w->fd, j->in.data + at, j->in.len - at);
    if (n <= 0) return job_fail_path(j, "Can't write");
    at += (size_t)n;
  }
  return j->in_ended ? write_finish(j) : STEP_INPUT;
}

void op_read(struct channel *ch, struct cursor *c) {
  job_start(ch, c, read_step, read_release, JOB_OUTPUT);
}

void op_write(struct channel *ch, struct cursor *c) {
  job_start(ch, c, write_step, write_release, JOB_INPUT);
}
