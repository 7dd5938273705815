#include "pack.h"
#include "tar.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

/*
 * Everything below a folder as an archive: folders before their content, names in order, so that the
 * same tree gives the same bytes. Other mounts are left out; a folder that one hides is packed empty.
 *
 * One folder is open at a time. Going back up, the one above is looked up again by its name.
 */
enum { CHUNK = 128 << 10, CAPABILITY_MAX = 64, SLICE_NS = 20000000, OPS_PER_LOOK = 64 };

struct level {
  struct names names;
  size_t path_len; /* of the folder's own name, with the slash behind it */
};

struct packing {
  int root, folder; /* folder: the one being walked, or -1 */
  uint64_t mount;
  uint64_t seen, max_entries;
  struct level *levels;
  size_t count, cap;
  struct links links;
  int file; /* whose content is being packed, or -1 */
  uint64_t left, size;
  struct tar_entry entry;
  char path[PATH_BYTES]; /* of the folder being walked, with a slash behind it, or empty */
};

static void pack_release(struct job *j) {
  struct packing *p = j->state;
  if (!p) return;
  for (size_t i = 0; i < p->count; i++) names_free(&p->levels[i].names);
  if (p->file >= 0) close(p->file);
  if (p->folder >= 0) close(p->folder);
  if (p->root >= 0) close(p->root);
  links_free(&p->links);
  free(p->levels);
  free(p);
  j->state = NULL;
}

/* ---- what the kernel says; it alone knows which mount a name is on */

#ifndef SYS_statx
#error "this C library does not know statx"
#endif
#define BASIC 0x7ffu
#define MOUNT_ID 0x1000u

struct kernel_time {
  int64_t seconds;
  uint32_t nanos;
  int32_t reserved;
};

struct kernel_stat {
  uint32_t mask, blksize;
  uint64_t attributes;
  uint32_t nlink, uid, gid;
  uint16_t mode, spare;
  uint64_t ino, size, blocks, attributes_mask;
  struct kernel_time atime, btime, ctime, mtime;
  uint32_t rdev_major, rdev_minor, dev_major, dev_minor;
  uint64_t mount;
  uint64_t more[13];
};

static int look(int folder, const char *name, struct kernel_stat *st) {
  int flags = AT_SYMLINK_NOFOLLOW | (*name ? 0 : AT_EMPTY_PATH);
  if (syscall(SYS_statx, folder, name, flags, BASIC | MOUNT_ID, st) < 0) return -1;
  if (st->mask & MOUNT_ID) return 0;
  errno = ENOSYS;
  return -1;
}

static uint64_t device(const struct kernel_stat *st) {
  return (uint64_t)st->dev_major << 32 | st->dev_minor;
}

/* ---- headers */

static void begin_entry(struct packing *p, enum tar_type type, const struct kernel_stat *st) {
  struct tar_entry *e = &p->entry;
  e->type = type;
  e->mode = st->mode & 07777;
  e->uid = st->uid;
  e->gid = st->gid;
  e->size = 0;
  e->seconds = st->mtime.seconds;
  e->link[0] = 0;
}

static bool gone(void) { return errno == ENOENT || errno == ENOTDIR || errno == ELOOP; }

/* Its header is about the very file whose content follows, not about a name. */
static int pack_file(struct job *j, const char *name, const struct kernel_stat *seen) {
  struct packing *p = j->state;
  const char *first = seen->nlink > 1 ? links_find(&p->links, device(seen), seen->ino) : NULL;
  if (first) {
    begin_entry(p, TAR_HARD_LINK, seen);
    memcpy(p->entry.link, first, strlen(first) + 1);
    tar_put_entry(&j->out, &p->entry, NULL, 0);
    return 0;
  }
  int fd = open_beneath(p->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return gone() ? 0 : -1;
  struct kernel_stat st;
  if (look(fd, "", &st) < 0 || !S_ISREG(st.mode)) {
    close(fd);
    return 0; /* something else has taken its place */
  }
  uint8_t capability[CAPABILITY_MAX];
  ssize_t n = fgetxattr(fd, "security.capability", capability, sizeof capability);
  begin_entry(p, TAR_FILE, &st);
  p->entry.size = p->size = p->left = st.size;
  tar_put_entry(&j->out, &p->entry, capability, n < 0 ? 0 : (size_t)n);
  if (st.nlink > 1) links_add(&p->links, device(&st), st.ino, p->entry.name);
  p->file = fd;
  return 0;
}

static int pack_symlink(struct job *j, const char *name, const struct kernel_stat *st) {
  struct packing *p = j->state;
  begin_entry(p, TAR_SYMLINK, st);
  read_link(p->folder, name, p->entry.link);
  if (p->entry.link[0]) tar_put_entry(&j->out, &p->entry, NULL, 0);
  return 0;
}

static struct level *push(struct packing *p) {
  if (p->count == p->cap) {
    size_t cap = p->cap ? p->cap * 2 : 16;
    struct level *more = realloc(p->levels, cap * sizeof *more);
    if (!more) return NULL;
    p->levels = more;
    p->cap = cap;
  }
  p->levels[p->count] = (struct level){0};
  return &p->levels[p->count++];
}

/* Goes into the open folder, whose name is in path. */
static int enter(struct packing *p, int folder) {
  struct level *l = push(p);
  if (p->folder >= 0) close(p->folder);
  p->folder = folder;
  if (!l) {
    errno = ENOMEM;
    return -1;
  }
  l->path_len = strlen(p->path);
  if (names_read(&l->names, folder, p->max_entries - p->seen) < 0) return -1;
  p->seen += l->names.count;
  return 0;
}

static int pack_folder(struct job *j, const char *name, const struct kernel_stat *st) {
  struct packing *p = j->state;
  struct kernel_stat hidden = {.mode = S_IFDIR | 0755};
  bool here = st->mount == p->mount;
  int fd = here ? open_beneath(p->folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK) : -1;
  if (here && fd < 0) return gone() ? 0 : -1;
  begin_entry(p, TAR_FOLDER, here ? st : &hidden);
  size_t n = strlen(p->entry.name);
  p->entry.name[n] = '/';
  p->entry.name[n + 1] = 0;
  tar_put_entry(&j->out, &p->entry, NULL, 0);
  if (!here) return 0;
  memcpy(p->path, p->entry.name, n + 2);
  return enter(p, fd);
}

static int pack_name(struct job *j, const char *name) {
  struct packing *p = j->state;
  size_t above = strlen(p->path), n = strlen(name);
  if (above + n + 2 > sizeof p->path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(p->entry.name, p->path, above);
  memcpy(p->entry.name + above, name, n + 1);
  struct kernel_stat st;
  if (look(p->folder, name, &st) < 0) return gone() ? 0 : -1;
  if (S_ISDIR(st.mode)) return pack_folder(j, name, &st);
  if (st.mount != p->mount) return 0;
  if (S_ISREG(st.mode)) return pack_file(j, name, &st);
  if (S_ISLNK(st.mode)) return pack_symlink(j, name, &st);
  if (S_ISFIFO(st.mode)) {
    begin_entry(p, TAR_FIFO, &st);
    tar_put_entry(&j->out, &p->entry, NULL, 0);
  }
  return 0; /* sockets and devices mean nothing elsewhere */
}

/* ---- content */

/* As many bytes as the header promised, whatever happens to the file meanwhile. */
static int pack_content(struct job *j) {
  struct packing *p = j->state;
  size_t want = p->left < CHUNK ? (size_t)p->left : CHUNK;
  uint8_t *to = put_room(&j->out, want + TAR_BLOCK);
  if (!to) {
    errno = ENOMEM;
    return -1;
  }
  ssize_t n = want > 0 ? read(p->file, to, want) : 0;
  if (n < 0) return -1;
  if (n == 0) {
    memset(to, 0, want);
    n = (ssize_t)want;
  }
  j->out.len += (size_t)n;
  p->left -= (uint64_t)n;
  if (p->left > 0) return 0;
  tar_put_padding(&j->out, p->size);
  close(p->file);
  p->file = -1;
  return 0;
}

/* ---- the walk */

/* Back to the folder above; if that is gone, what is left of it is, too. */
static int leave(struct packing *p) {
  names_free(&p->levels[--p->count].names);
  if (p->folder >= 0) close(p->folder);
  p->folder = -1;
  if (p->count == 0) return 0;
  struct level *up = &p->levels[p->count - 1];
  p->path[up->path_len] = 0;
  p->folder = open_beneath(p->root, up->path_len ? p->path : ".",
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
  if (p->folder >= 0) return 0;
  up->names.next = up->names.count;
  return gone() ? 0 : -1;
}

static int pack_next(struct job *j) {
  struct packing *p = j->state;
  if (p->file >= 0) return pack_content(j);
  struct names *names = &p->levels[p->count - 1].names;
  if (names->next == names->count) return leave(p);
  return pack_name(j, names->sorted[names->next++]);
}

static enum step fail_pack(struct job *j) {
  struct packing *p = j->state;
  int err = errno;
  if (err == E2BIG)
    return job_fail(j, err, "Can't pack %.200s: there are more than %llu entries", j->path,
                    (unsigned long long)p->max_entries);
  return job_fail(j, err, "Can't pack %.180s: %s", p->entry.name, strerror(err));
}

static enum step pack_begin(struct job *j) {
  uint64_t max_entries = get_u64(&j->args);
  if (!get_done(&j->args)) return job_fail(j, EINVAL, "The arguments are not well-formed");
  struct packing *p = calloc(1, sizeof *p);
  if (!p) return job_fail(j, ENOMEM, "The agent has no memory for this");
  j->state = p;
  p->file = p->folder = -1;
  p->max_entries = max_entries;
  p->root = open_path(AT_FDCWD, j->path, O_RDONLY | O_DIRECTORY | O_NONBLOCK, 0);
  struct kernel_stat st;
  if (p->root < 0 || look(p->root, "", &st) < 0) return job_fail_path(j, "Can't pack");
  p->mount = st.mount;
  int folder = open_beneath(p->root, ".", O_RDONLY | O_DIRECTORY | O_NONBLOCK);
  if (folder < 0) return job_fail_path(j, "Can't pack");
  if (enter(p, folder) < 0) return errno == E2BIG ? fail_pack(j) : job_fail_path(j, "Can't pack");
  put_u8(&j->reply, 0);
  return STEP_MORE;
}

static enum step pack_step(struct job *j) {
  struct packing *p = j->state;
  if (!p) return pack_begin(j);
  int64_t until = now_ns() + SLICE_NS;
  for (int i = 1; p->count > 0; i++) {
    if (pack_next(j) < 0) return fail_pack(j);
    if (j->out.failed) return job_fail(j, ENOMEM, "The agent has no memory for this");
    if (j->out.len >= OUT_ENOUGH) return STEP_MORE;
    if (i % OPS_PER_LOOK == 0 && now_ns() > until) return STEP_MORE;
  }
  static const uint8_t end[2 * TAR_BLOCK];
  put(&j->out, end, sizeof end);
  return STEP_DONE;
}

void op_pack(struct channel *ch, struct cursor *c) {
  job_start(ch, c, pack_step, pack_release, JOB_OUTPUT);
}
