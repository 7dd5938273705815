#include "unpack.h"

#include <fcntl.h>

enum { OPS_PER_LOOK = 64, TRIES = 2 };
#define FOLDER_FLAGS (O_PATH | O_DIRECTORY)

void place_forget(struct place *p) {
  if (p->folder >= 0) close(p->folder);
  p->folder = -1;
  p->stale = false;
}

void place_remember(struct place *p, const char *name, int folder) {
  place_forget(p);
  p->folder = folder;
  memcpy(p->folder_name, name, strlen(name) + 1);
}

static int note_made(struct place *p, int folder, const char *name) {
  if (!p->marks) return 0;
  struct stat st;
  if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0) return -1;
  if (marks_add(p->marks, &st)) return 0;
  errno = ENOMEM;
  return -1;
}

/* A file in the way of a folder goes; a link that leads to no folder is an error of the archive. */
static int make_folder(struct place *p, int above, const char *name) {
  if (p->made >= p->made_max) {
    errno = E2BIG;
    return -1;
  }
  for (int i = 0; i < TRIES; i++) {
    if (mkdirat(above, name, 0755) == 0) {
      p->made++;
      /* A folder with the setgid bit would have handed its group down. */
      if (fchownat(above, name, 0, 0, AT_SYMLINK_NOFOLLOW) < 0) return -1;
      return note_made(p, above, name);
    }
    if (errno != EEXIST) return -1;
    struct stat st;
    if (fstatat(above, name, &st, AT_SYMLINK_NOFOLLOW) < 0) return -1;
    if (S_ISLNK(st.st_mode) || S_ISDIR(st.st_mode)) {
      errno = ENOTDIR;
      return -1;
    }
    if (unlinkat(above, name, 0) < 0) return -1;
  }
  errno = EEXIST;
  return -1;
}

/* Each folder of the way is looked up from the root: a link in between leads where it would later. */
static int make_way(struct place *p, char *name) {
  int above = p->root;
  for (char *part = name; part;) {
    char *slash = strchr(part, '/');
    if (slash) *slash = 0;
    int fd = open_beneath(p->root, name, FOLDER_FLAGS);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR) && make_folder(p, above, part) == 0)
      fd = open_beneath(p->root, name, FOLDER_FLAGS);
    int err = errno;
    if (slash) *slash = '/';
    if (above != p->root) close(above);
    errno = err;
    if (fd < 0) return -1;
    above = fd;
    part = slash ? slash + 1 : NULL;
  }
  return above;
}

int place_folder(struct place *p, const char *name, bool make, const char **last) {
  const char *slash = strrchr(name, '/');
  *last = slash ? slash + 1 : name;
  if (p->stale) place_forget(p);
  if (!slash) return p->root;
  size_t n = (size_t)(slash - name);
  if (p->folder >= 0 && strncmp(p->folder_name, name, n) == 0 && p->folder_name[n] == 0)
    return p->folder;
  place_forget(p);
  memcpy(p->folder_name, name, n);
  p->folder_name[n] = 0;
  p->folder = open_beneath(p->root, p->folder_name, FOLDER_FLAGS);
  if (p->folder < 0 && make && (errno == ENOENT || errno == ENOTDIR))
    p->folder = make_way(p, p->folder_name);
  return p->folder;
}

static int remove_tree(struct place *p, int folder, const char *name,
                       const struct removal_rules *rules, bool *complete) {
  int parent = fcntl(folder, F_DUPFD_CLOEXEC, 0);
  if (parent < 0) return -1;
  struct removal *r = removal_begin(parent, name, rules);
  if (!r) return -1;
  int more = 1;
  for (int i = 1; more > 0; i++) {
    more = removal_next(r);
    if (i % OPS_PER_LOOK == 0 && atomic_load(p->cancelled)) {
      errno = ECANCELED;
      more = -1;
    }
  }
  int err = errno;
  *complete = removal_complete(r);
  removal_free(r);
  errno = err;
  return more;
}

int place_clear(struct place *p, int folder, const char *name) {
  p->stale = true;
  if (unlinkat(folder, name, 0) == 0) return 0;
  if (errno != EISDIR && errno != EPERM) return -1;
  bool complete = true;
  struct removal_rules rules = {.one_mount = true};
  int failed = remove_tree(p, folder, name, &rules, &complete);
  if (failed || complete) return failed;
  errno = EBUSY;
  return -1;
}

static bool put_here(void *owner, const struct stat *st) { return marks_has(owner, st); }

int place_whiteout(struct place *p, int folder, const char *name) {
  p->stale = true;
  struct stat st;
  if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0) return errno == ENOENT ? 0 : -1;
  if (!S_ISDIR(st.st_mode)) return put_here(p->marks, &st) ? 0 : unlinkat(folder, name, 0);
  bool complete;
  struct removal_rules rules = {.one_mount = true, .keeps = put_here, .owner = p->marks};
  return remove_tree(p, folder, name, &rules, &complete);
}

int place_opaque(struct place *p, int folder) {
  p->stale = true;
  bool complete;
  struct removal_rules rules = {
      .one_mount = true, .keep_top = true, .keeps = put_here, .owner = p->marks};
  return remove_tree(p, folder, ".", &rules, &complete);
}
