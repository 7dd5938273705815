#include "job.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>

#ifndef SYS_renameat2
#error "this C library does not know renameat2"
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#define NO_REPLACE 1

/* Operations that are one step each. */

static enum step bad_arguments(struct job *j) {
  return job_fail(j, EINVAL, "The arguments are not well-formed");
}

static enum step stat_step(struct job *j) {
  bool follow = get_u8(&j->args);
  if (!get_done(&j->args)) return bad_arguments(j);
  int fd = open_path(AT_FDCWD, j->path, O_PATH | (follow ? 0 : O_NOFOLLOW), 0);
  if (fd < 0) return job_fail_path(j, "Can't look at");
  struct stat st;
  char target[PATH_BYTES] = "";
  int failed = fstat(fd, &st);
  if (failed == 0 && S_ISLNK(st.st_mode)) read_link(fd, "", target);
  close(fd);
  if (failed) return job_fail_path(j, "Can't look at");
  put_file(&j->reply, j->path, &st, target);
  return STEP_DONE;
}

static enum step mkdir_step(struct job *j) {
  mode_t mode = get_u32(&j->args) & 07777;
  bool parents = get_u8(&j->args);
  if (!get_done(&j->args)) return bad_arguments(j);
  int failed;
  if (parents) {
    failed = make_folders(j->path, mode);
  } else {
    char name[NAME_MAX_BYTES];
    int dir = open_parent(j->path, name);
    if (dir < 0) return job_fail_path(j, "Can't make folder");
    failed = mkdirat(dir, name, mode);
    int err = errno;
    close(dir);
    errno = err;
  }
  return failed ? job_fail_path(j, "Can't make folder") : STEP_DONE;
}

static int rename_at(int from, const char *old, int to, const char *name, bool overwrite) {
  if (overwrite) return renameat(from, old, to, name);
  if (syscall(SYS_renameat2, from, old, to, name, NO_REPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  /* A file system that can't refuse by itself. */
  struct stat st;
  if (fstatat(to, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return -1;
  }
  return renameat(from, old, to, name);
}

static enum step move_step(struct job *j) {
  const char *target = get_str(&j->args);
  bool overwrite = get_u8(&j->args);
  if (!get_done(&j->args) || *target != '/') return bad_arguments(j);
  char old[NAME_MAX_BYTES], name[NAME_MAX_BYTES];
  int from = open_parent(j->path, old);
  if (from < 0) return job_fail_path(j, "Can't move");
  int to = open_parent(target, name);
  int failed = to < 0 ? -1 : rename_at(from, old, to, name, overwrite), err = errno;
  close(from);
  if (to >= 0) close(to);
  if (!failed) return STEP_DONE;
  return job_fail(j, err, "Can't move %.120s to %.120s: %s", j->path, target,
                  err == EXDEV ? "they lie on different file systems" : strerror(err));
}

/* Through a descriptor of the very file, so that no link can be put in its place in between. */
static int chmod_fd(int fd, mode_t mode) {
  if (syscall(SYS_fchmodat2, fd, "", mode, AT_EMPTY_PATH) == 0) return 0;
  if (errno != ENOSYS && errno != EPERM && errno != EINVAL) return -1;
  char self[64];
  snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
  return chmod(self, mode);
}

static enum step chmod_step(struct job *j) {
  mode_t mode = get_u32(&j->args);
  if (!get_done(&j->args) || mode > 07777) return bad_arguments(j);
  int fd = open_path(AT_FDCWD, j->path, O_PATH | O_NOFOLLOW, 0);
  if (fd < 0) return job_fail_path(j, "Can't change the mode of");
  struct stat st;
  int failed = fstat(fd, &st), err;
  if (failed == 0 && S_ISLNK(st.st_mode)) {
    close(fd);
    return job_fail(j, ELOOP, "%.200s is a symbolic link; change the mode of what it names", j->path);
  }
  if (failed == 0) failed = chmod_fd(fd, mode);
  err = errno;
  close(fd);
  errno = err;
  return failed ? job_fail_path(j, "Can't change the mode of") : STEP_DONE;
}

static enum step symlink_step(struct job *j) {
  const char *target = get_str(&j->args);
  if (!get_done(&j->args)) return bad_arguments(j);
  char name[NAME_MAX_BYTES];
  int dir = open_parent(j->path, name);
  if (dir < 0) return job_fail_path(j, "Can't make the link");
  int failed = symlinkat(target, dir, name), err = errno;
  close(dir);
  errno = err;
  return failed ? job_fail_path(j, "Can't make the link") : STEP_DONE;
}

void op_stat(struct channel *ch, struct cursor *c) { job_start(ch, c, stat_step, NULL, 0); }
void op_mkdir(struct channel *ch, struct cursor *c) { job_start(ch, c, mkdir_step, NULL, 0); }
void op_move(struct channel *ch, struct cursor *c) { job_start(ch, c, move_step, NULL, 0); }
void op_chmod(struct channel *ch, struct cursor *c) { job_start(ch, c, chmod_step, NULL, 0); }
void op_symlink(struct channel *ch, struct cursor *c) { job_start(ch, c, symlink_step, NULL, 0); }
