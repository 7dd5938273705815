#include "job.h"

#include <fcntl.h>
#include <sys/syscall.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define NO_MOUNTS 0x01
#define NO_MAGIC_LINKS 0x02
#define IN_ROOT 0x10
enum { RENAMES_MAX = 128 };

/*
 * Everything resolves inside the sandbox with the user's rights. The one thing to refuse is a link
 * of /proc: for us it would name our own descriptors. Kernels or filters without openat2 are served
 * without that: nothing we hold leads out of the sandbox either.
 */
int open_path(int dir, const char *path, int flags, mode_t mode) {
  struct {
    uint64_t flags, mode, resolve;
  } how = {(uint64_t)(flags | O_CLOEXEC), mode, NO_MAGIC_LINKS};
  int fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
  if (fd < 0 && (errno == ENOSYS || errno == EPERM)) {
    fd = openat(dir, path, flags | O_CLOEXEC, mode);
  }
  return fd;
}

/*
 * As if dir were the root, for names that somebody else chose: neither "..", nor a link, nor a mount
 * leads out (EXDEV). There is no way to do this without openat2, so nothing is tried.
 */
int open_beneath(int dir, const char *path, int flags) {
  struct {
    uint64_t flags, mode, resolve;
  } how = {(uint64_t)(flags | O_CLOEXEC), 0, IN_ROOT | NO_MAGIC_LINKS | NO_MOUNTS};
  int fd = -1;
  for (int i = 0; i < RENAMES_MAX; i++) { /* a rename elsewhere makes the kernel unsure of ".." */
    fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
    if (fd >= 0 || errno != EAGAIN) break;
  }
  return fd;
}

/* The folder that holds the last name of an absolute path, and that name. */
int open_parent(const char *path, char name[NAME_MAX_BYTES]) {
  char parent[PATH_BYTES];
  size_t end = strlen(path);
  while (end > 0 && path[end - 1] == '/') end--;
  size_t start = end;
  while (start > 0 && path[start - 1] != '/') start--;
  size_t n = end - start;
  if (start >= sizeof parent || n >= NAME_MAX_BYTES) {
    errno = ENAMETOOLONG;
    return -1;
  }
  if (n == 0 || start == 0 || (n == 1 && path[start] == '.') ||
      (n == 2 && path[start] == '.' && path[start + 1] == '.')) {
    errno = EINVAL;
    return -1;
  }
  memcpy(name, path + start, n);
  name[n] = 0;
  memcpy(parent, path, start);
  parent[start] = 0;
  return open_path(AT_FDCWD, parent, O_PATH | O_DIRECTORY, 0);
}

int make_folders(const char *path, mode_t mode) {
  char part[PATH_BYTES];
  size_t len = strlen(path);
  if (len >= sizeof part) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(part, path, len + 1);
  for (size_t i = 1; i <= len; i++) {
    if (part[i] != '/' && part[i] != 0) continue;
    if (part[i - 1] == '/') continue;
    part[i] = 0;
    bool last = i == len;
    /* Not every name need be new, and what is there need not be ours to write to. */
    if (mkdir(part, last ? mode : 0755) < 0 && errno != EEXIST) {
      int err = errno;
      struct stat st;
      if (stat(part, &st) < 0 || !S_ISDIR(st.st_mode)) {
        errno = err;
        return -1;
      }
    }
    part[i] = path[i];
  }
  struct stat st;
  if (stat(path, &st) < 0) return -1;
  if (S_ISDIR(st.st_mode)) return 0;
  errno = ENOTDIR;
  return -1;
}

void read_link(int dir, const char *name, char target[PATH_BYTES]) {
  ssize_t n = readlinkat(dir, name, target, PATH_BYTES - 1);
  target[n < 0 ? 0 : n] = 0;
}

void put_file(struct buf *b, const char *path, const struct stat *st, const char *target) {
  mode_t m = st->st_mode;
  put_u8(b, S_ISREG(m) ? 0 : S_ISDIR(m) ? 1 : S_ISLNK(m) ? 2 : 3);
  put_u64(b, (uint64_t)st->st_size);
  put_u32(b, m & 07777);
  put_u32(b, st->st_uid);
  put_u32(b, st->st_gid);
  put_u64(b, (uint64_t)st->st_mtim.tv_sec);
  put_u32(b, (uint32_t)st->st_mtim.tv_nsec);
  put_str(b, path);
  put_str(b, target);
}
