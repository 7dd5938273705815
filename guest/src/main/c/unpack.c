#include "tar.h"
#include "unpack.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/xattr.h>

/*
 * Unpacking an archive that may be an attack, as it comes in.
 *
 * A name leads nowhere but below the folder and onto no other mount (place.c), and what a header says
 * is checked in tar.c. What is left to an attacker is to fill the folder, which has limits.
 */
enum { SLICE_NS = 20000000, OPS_PER_LOOK = 64 };

enum part { HEADER, EXTENDED, CONTENT, PADDING, REST };
enum outcome { MADE, SKIPPED, FAILED };

struct unpacking {
  struct place place;
  struct marks marks;
  struct times times;
  bool layer;
  uint64_t max_bytes, entries, bytes, skipped, offset;

  enum part part;
  bool zero_seen;
  uint64_t left;  /* of the content or extended header */
  size_t padding; /* after it */
  size_t block_len;
  uint8_t block[TAR_BLOCK];

  struct tar_entry entry;
  enum tar_type extended_type;
  struct buf extended, pax; /* being read; of the coming or present entry */
  char *long_name, *long_link;
  int file; /* that the content goes to, or -1 */
  const char *problem; /* why an entry failed, when errno does not say it */
  char first_skipped[PATH_BYTES];
};

static void unpack_release(struct job *j) {
  struct unpacking *u = j->state;
  if (!u) return;
  if (u->file >= 0) close(u->file);
  place_forget(&u->place);
  if (u->place.root >= 0) close(u->place.root);
  marks_free(&u->marks);
  buf_free(&u->times.entries);
  buf_free(&u->extended);
  buf_free(&u->pax);
  free(u->long_name);
  free(u->long_link);
  free(u);
  j->state = NULL;
}

static enum outcome refuse(struct unpacking *u, const char *problem) {
  u->problem = problem;
  errno = EINVAL;
  return FAILED;
}

/* The archive could not have it there, and can do without. */
static enum outcome failed_or_elsewhere(void) {
  return errno == EXDEV || errno == EBUSY ? SKIPPED : FAILED;
}

/* ---- how an entry looks */

static bool wanted_attribute(const char *name) {
  return strcmp(name, "security.capability") == 0 || strncmp(name, "user.", 5) == 0;
}

/* Best effort: file systems differ in what they take, and root here is not the machine's. */
static void set_attributes(struct unpacking *u, int fd) {
  const uint8_t *at = u->pax.data, *end = at + u->pax.len;
  struct tar_record r;
  size_t prefix = strlen(TAR_XATTR);
  while (at < end && tar_next_record(&at, end, &r)) {
    char name[NAME_MAX_BYTES];
    if (r.key_len <= prefix || r.key_len - prefix >= sizeof name ||
        memcmp(r.key, TAR_XATTR, prefix) != 0)
      continue;
    memcpy(name, r.key + prefix, r.key_len - prefix);
    name[r.key_len - prefix] = 0;
    if (wanted_attribute(name)) fsetxattr(fd, name, r.value, r.value_len, 0);
  }
}

static int mark(struct unpacking *u, const struct stat *st) {
  if (!u->layer || marks_add(&u->marks, st)) return 0;
  errno = ENOMEM;
  return -1;
}

/* The owner first: a change of it takes the setuid bits and the capabilities away. */
static int take_looks(struct unpacking *u, int fd) {
  const struct tar_entry *e = &u->entry;
  struct stat st;
  if (fstat(fd, &st) < 0) return -1;
  bool other_owner = st.st_uid != e->uid || st.st_gid != e->gid;
  if (other_owner && fchown(fd, e->uid, e->gid) < 0) return -1;
  if ((other_owner || (st.st_mode & 07777) != e->mode) && fchmod(fd, e->mode) < 0) return -1;
  if (u->pax.len > 0) set_attributes(u, fd);
  return mark(u, &st);
}

static int take_looks_by_name(struct unpacking *u, int folder, const char *name) {
  const struct tar_entry *e = &u->entry;
  struct timespec both[2] = {{e->seconds, e->nanos}, {e->seconds, e->nanos}};
  struct stat st;
  if (fchownat(folder, name, e->uid, e->gid, AT_SYMLINK_NOFOLLOW) < 0) return -1;
  utimensat(folder, name, both, AT_SYMLINK_NOFOLLOW);
  if (!u->layer) return 0;
  return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? -1 : mark(u, &st);
}

/* ---- entries by type; each makes room by itself */

static int create_file(int folder, const char *name, mode_t mode) {
  return openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode & 0777);
}

static enum outcome make_file(struct unpacking *u, int folder, const char *name) {
  u->file = create_file(folder, name, u->entry.mode);
  if (u->file < 0 && errno == EEXIST && place_clear(&u->place, folder, name) == 0)
    u->file = create_file(folder, name, u->entry.mode);
  return u->file < 0 ? failed_or_elsewhere() : MADE;
}

static int finish_file(struct unpacking *u) {
  struct timespec both[2] = {{u->entry.seconds, u->entry.nanos},
                             {u->entry.seconds, u->entry.nanos}};
  int fd = u->file, failed = take_looks(u, fd), err = errno;
  u->file = -1;
  futimens(fd, both);
  if (close(fd) < 0 && !failed) return -1;
  errno = err;
  return failed;
}

static int open_folder(int at, const char *name) {
  return open_beneath(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
}

static enum outcome folder_looks(struct unpacking *u, int fd) {
  const struct tar_entry *e = &u->entry;
  if (take_looks(u, fd) < 0) return FAILED;
  if (times_full(&u->times)) { /* those set now may be wrong again, of folders that still grow */
    while (times_set_next(&u->times, u->place.root)) continue;
  }
  if (times_add(&u->times, e->name, e->seconds, e->nanos)) return MADE;
  errno = ENOMEM;
  return FAILED;
}

static enum outcome make_folder(struct unpacking *u, int folder, const char *name) {
  int made = mkdirat(folder, name, u->entry.mode & 0777);
  if (made < 0 && errno != EEXIST) return FAILED;
  int fd = open_folder(folder, name);
  if (fd < 0 && made < 0 && (errno == ENOTDIR || errno == ELOOP)) {
    if (place_clear(&u->place, folder, name) < 0) return failed_or_elsewhere();
    if (mkdirat(folder, name, u->entry.mode & 0777) < 0) return FAILED;
    fd = open_folder(folder, name);
  }
  if (fd < 0) return failed_or_elsewhere();
  enum outcome outcome = folder_looks(u, fd);
  /* What comes next lies in it, mostly. */
  if (outcome == MADE) place_remember(&u->place, u->entry.name, fd);
  else close(fd);
  return outcome;
}

static enum outcome own_folder(struct unpacking *u) {
  int fd = open_folder(u->place.root, ".");
  if (fd < 0) return FAILED;
  enum outcome outcome = folder_looks(u, fd);
  close(fd);
  return outcome;
}

static enum outcome make_symlink(struct unpacking *u, int folder, const char *name) {
  const char *target = u->entry.link;
  if (!*target) return refuse(u, "it is a symbolic link to an empty name");
  int failed = symlinkat(target, folder, name);
  if (failed && errno == EEXIST && place_clear(&u->place, folder, name) == 0)
    failed = symlinkat(target, folder, name);
  if (failed) return failed_or_elsewhere();
  return take_looks_by_name(u, folder, name) < 0 ? FAILED : MADE;
}

static enum outcome make_fifo(struct unpacking *u, int folder, const char *name) {
  int failed = mkfifoat(folder, name, u->entry.mode & 0777);
  if (failed && errno == EEXIST && place_clear(&u->place, folder, name) == 0)
    failed = mkfifoat(folder, name, u->entry.mode & 0777);
  if (failed) return failed_or_elsewhere();
  return take_looks_by_name(u, folder, name) < 0 ? FAILED : MADE;
}

static enum outcome link_to(struct unpacking *u, int from, const char *target, int folder,
                            const char *name) {
  struct stat st, old;
  if (fstatat(from, target, &st, AT_SYMLINK_NOFOLLOW) < 0)
    return errno == ENOENT ? refuse(u, "it is a hard link to a file that is not there") : FAILED;
  if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
    return refuse(u, "it is a hard link to something that is no file");
  int failed = linkat(from, target, folder, name, 0);
  if (failed && errno == EEXIST) {
    if (fstatat(folder, name, &old, AT_SYMLINK_NOFOLLOW) == 0 && old.st_ino == st.st_ino &&
        old.st_dev == st.st_dev)
      failed = 0; /* the very same already */
    else if (place_clear(&u->place, folder, name) == 0)
      failed = linkat(from, target, folder, name, 0);
  }
  if (failed) return errno == ENOENT ? refuse(u, "it takes the place of what it links to")
                                     : failed_or_elsewhere();
  /* Not the name linked to: an overlay may have given the file another number by now. */
  if (u->layer && (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || mark(u, &st) < 0))
    return FAILED;
  return MADE;
}

static enum outcome make_hard_link(struct unpacking *u, int folder, const char *name) {
  const char *problem = tar_clean_name(u->entry.link);
  if (problem || !*u->entry.link) return refuse(u, "it is a hard link to a name that is not allowed");
  char *slash = strrchr(u->entry.link, '/');
  if (slash) *slash = 0;
  int from = open_beneath(u->place.root, slash ? u->entry.link : ".", O_PATH | O_DIRECTORY);
  if (from < 0)
    return errno == ENOENT || errno == ENOTDIR
               ? refuse(u, "it is a hard link to a file that is not there")
               : failed_or_elsewhere();
  enum outcome outcome = link_to(u, from, slash ? slash + 1 : u->entry.link, folder, name);
  int err = errno;
  close(from);
  errno = err;
  return outcome;
}

/* ---- layers: names that say what is to go */

static enum outcome whiteout(struct unpacking *u, const char *last) {
  const char *gone = last + 4;
  bool opaque = strcmp(gone, ".wh..opq") == 0;
  if (!*gone || strcmp(gone, ".") == 0 || strcmp(gone, "..") == 0)
    return refuse(u, "it removes a name that is not allowed");
  int folder = place_folder(&u->place, u->entry.name, false, &last);
  if (folder < 0 && (errno == ENOENT || errno == ENOTDIR)) return MADE;
  if (folder < 0) return failed_or_elsewhere();
  int failed = opaque ? place_opaque(&u->place, folder) : place_whiteout(&u->place, folder, gone);
  return failed ? failed_or_elsewhere() : MADE;
}

static const char *last_part(const char *name) {
  const char *slash = strrchr(name, '/');
  return slash ? slash + 1 : name;
}

/* ---- one entry */

static enum outcome make_entry(struct unpacking *u) {
  struct tar_entry *e = &u->entry;
  size_t n = strlen(e->name);
  /* As it was before there was a type for folders. */
  if (e->type == TAR_FILE && n > 0 && e->name[n - 1] == '/' && e->size == 0) e->type = TAR_FOLDER;
  const char *problem = tar_clean_name(e->name), *last;
  if (problem) return refuse(u, problem);
  if (!*e->name)
    return e->type == TAR_FOLDER ? own_folder(u) : refuse(u, "only a folder can have this name");
  if (u->layer && strncmp(last_part(e->name), ".wh.", 4) == 0)
    return whiteout(u, last_part(e->name));
  if (e->type == TAR_CHARACTERS || e->type == TAR_BLOCKS) return SKIPPED;
  if (e->type == TAR_FILE && e->size > u->max_bytes - u->bytes) {
    u->problem = "the archive has more bytes than are allowed";
    errno = EFBIG;
    return FAILED;
  }
  int folder = place_folder(&u->place, e->name, true, &last);
  if (folder < 0) return failed_or_elsewhere();
  switch (e->type) {
    case TAR_FILE: return make_file(u, folder, last);
    case TAR_FOLDER: return make_folder(u, folder, last);
    case TAR_SYMLINK: return make_symlink(u, folder, last);
    case TAR_HARD_LINK: return make_hard_link(u, folder, last);
    case TAR_FIFO: return make_fifo(u, folder, last);
    default: return refuse(u, "its type is unknown");
  }
}

static void note_skipped(struct unpacking *u) {
  if (u->skipped++ == 0) memcpy(u->first_skipped, u->entry.name, strlen(u->entry.name) + 1);
}

static void begin_content(struct unpacking *u, enum part part, uint64_t size) {
  u->left = size;
  u->padding = (size_t)(-size & (TAR_BLOCK - 1));
  u->part = size > 0 ? part : HEADER;
}

static enum step fail_entry(struct job *j) {
  struct unpacking *u = j->state;
  int err = errno;
  const char *why = u->problem ? u->problem : err == E2BIG ? "there are more entries than are allowed"
                                                           : strerror(err);
  /* "Not found" would be about the folder that was asked for. */
  return job_fail(j, err == ENOENT || err == EEXIST || err == ENOTEMPTY ? EINVAL : err,
                  "Can't unpack %.180s: %s", u->entry.name, why);
}

static enum step fail_archive(struct job *j, const char *why) {
  struct unpacking *u = j->state;
  return job_fail(j, EINVAL, "The archive is broken at byte %llu: %s",
                  (unsigned long long)u->offset, why);
}

/* What came before the header itself goes over what it says. */
static const char *complete_entry(struct unpacking *u) {
  struct tar_entry *e = &u->entry;
  if (u->long_name) memcpy(e->name, u->long_name, strlen(u->long_name) + 1);
  if (u->long_link) memcpy(e->link, u->long_link, strlen(u->long_link) + 1);
  free(u->long_name);
  free(u->long_link);
  u->long_name = u->long_link = NULL;
  return tar_read_extended(e, u->pax.data, u->pax.len);
}

static enum step take_entry(struct job *j) {
  struct unpacking *u = j->state;
  u->problem = complete_entry(u);
  errno = EINVAL;
  if (u->problem) return fail_entry(j);
  errno = E2BIG;
  if (u->place.made >= u->place.made_max) return fail_entry(j);
  u->place.made++;
  u->entries++;
  switch (make_entry(u)) {
    case FAILED: return fail_entry(j);
    case SKIPPED: note_skipped(u); break;
    case MADE: break;
  }
  begin_content(u, CONTENT, u->entry.size);
  if (u->file >= 0) {
    u->bytes += u->entry.size;
    if (u->entry.size == 0 && finish_file(u) < 0) return fail_entry(j);
  }
  if (u->part == HEADER) u->pax.len = 0;
  return STEP_INPUT;
}

static enum step take_header(struct job *j, const uint8_t *block) {
  struct unpacking *u = j->state;
  bool pending = u->pax.len > 0 || u->long_name || u->long_link;
  if (tar_is_zero(block)) {
    if (pending) return fail_archive(j, "it ends in the middle of an entry");
    if (u->zero_seen) u->part = REST;
    u->zero_seen = true;
    return STEP_INPUT;
  }
  if (u->zero_seen) return fail_archive(j, "more follows after a block of zeros");
  u->entry.name[0] = 0;
  const char *problem = tar_read_header(&u->entry, block);
  if (problem && !u->entry.name[0]) return fail_archive(j, problem);
  if (problem) {
    u->problem = problem;
    errno = EINVAL;
    return fail_entry(j);
  }
  enum tar_type type = u->entry.type;
  if (type != TAR_PAX && type != TAR_PAX_GLOBAL && type != TAR_LONG_NAME && type != TAR_LONG_LINK)
    return take_entry(j);
  if ((type == TAR_PAX && u->pax.len > 0) || (type == TAR_LONG_NAME && u->long_name) ||
      (type == TAR_LONG_LINK && u->long_link))
    return fail_archive(j, "one entry has two extended headers of the same kind");
  if (u->entry.size > TAR_EXTENDED_MAX)
    return fail_archive(j, "an extended header is longer than 64 KiB");
  u->extended_type = type;
  u->extended.len = 0;
  begin_content(u, EXTENDED, u->entry.size);
  return STEP_INPUT;
}

static const char *keep_long(const struct buf *text, char **kept) {
  char name[PATH_BYTES];
  const char *problem = tar_read_long(name, text->data, text->len);
  if (problem) return problem;
  *kept = strdup(name);
  return *kept ? NULL : "the agent has no memory for it";
}

static enum step take_extended(struct job *j) {
  struct unpacking *u = j->state;
  const char *problem = NULL;
  if (u->extended.failed) return job_fail(j, ENOMEM, "The agent has no memory for this");
  if (u->extended_type == TAR_PAX) { /* the two take turns */
    struct buf empty = u->pax;
    u->pax = u->extended;
    u->extended = empty;
  } else if (u->extended_type == TAR_LONG_NAME) {
    problem = keep_long(&u->extended, &u->long_name);
  } else if (u->extended_type == TAR_LONG_LINK) {
    problem = keep_long(&u->extended, &u->long_link);
  }
  return problem ? fail_archive(j, problem) : STEP_INPUT;
}

/* ---- the stream */

static int write_all(int fd, const uint8_t *p, size_t n) {
  while (n > 0) {
    ssize_t done = write(fd, p, n);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return -1;
    p += done;
    n -= (size_t)done;
  }
  return 0;
}

static void end_content(struct unpacking *u) { u->part = u->padding > 0 ? PADDING : HEADER; }

/* Takes some of the bytes; how many is left in *taken. */
static enum step take_content(struct job *j, const uint8_t *p, size_t n, size_t *taken) {
  struct unpacking *u = j->state;
  if (n > u->left) n = (size_t)u->left;
  *taken = n;
  u->left -= n;
  if (u->part == EXTENDED) {
    put(&u->extended, p, n);
    if (u->left > 0) return STEP_INPUT;
    end_content(u);
    return take_extended(j);
  }
  if (u->file >= 0 && write_all(u->file, p, n) < 0) return fail_entry(j);
  if (u->left > 0) return STEP_INPUT;
  end_content(u);
  if (u->file >= 0 && finish_file(u) < 0) return fail_entry(j);
  u->pax.len = 0;
  return STEP_INPUT;
}

static enum step take_block(struct job *j, const uint8_t *p, size_t n, size_t *taken) {
  struct unpacking *u = j->state;
  if (u->block_len == 0 && n >= TAR_BLOCK) {
    *taken = TAR_BLOCK;
    return take_header(j, p);
  }
  *taken = n < TAR_BLOCK - u->block_len ? n : TAR_BLOCK - u->block_len;
  memcpy(u->block + u->block_len, p, *taken);
  u->block_len += *taken;
  if (u->block_len < TAR_BLOCK) return STEP_INPUT;
  u->block_len = 0;
  return take_header(j, u->block);
}

static enum step take(struct job *j, const uint8_t *p, size_t n, size_t *taken) {
  struct unpacking *u = j->state;
  switch (u->part) {
    case HEADER: return take_block(j, p, n, taken);
    case EXTENDED:
    case CONTENT: return take_content(j, p, n, taken);
    case PADDING:
      *taken = n < u->padding ? n : u->padding;
      u->padding -= *taken;
      if (u->padding == 0) u->part = HEADER;
      return STEP_INPUT;
    case REST: break;
  }
  *taken = n;
  return STEP_INPUT;
}

static enum step unpack_begin(struct job *j) {
  bool layer = get_u8(&j->args);
  uint64_t max_entries = get_u64(&j->args), max_bytes = get_u64(&j->args);
  if (!get_done(&j->args)) return job_fail(j, EINVAL, "The arguments are not well-formed");
  if (j->user->uid != 0)
    return job_fail(j, EPERM, "Only root can unpack an archive: its entries have owners");
  struct unpacking *u = calloc(1, sizeof *u);
  if (!u) return job_fail(j, ENOMEM, "The agent has no memory for this");
  j->state = u;
  u->file = u->place.folder = u->place.root = -1;
  u->layer = layer;
  u->max_bytes = max_bytes;
  u->place.made_max = max_entries;
  u->place.marks = layer ? &u->marks : NULL;
  u->place.cancelled = &j->cancelled;
  u->place.root = open_path(AT_FDCWD, j->path, O_RDONLY | O_DIRECTORY | O_NONBLOCK, 0);
  if (u->place.root < 0) return job_fail_path(j, "Can't unpack into");
  int usable = open_folder(u->place.root, ".");
  if (usable < 0)
    return job_fail(j, errno, "Unpacking needs openat2, which this kernel or its filter refuses");
  close(usable);
  return STEP_INPUT;
}

static enum step unpack_finish(struct job *j) {
  struct unpacking *u = j->state;
  if (u->part != REST) return fail_archive(j, "it ends too soon");
  int64_t until = now_ns() + SLICE_NS;
  for (int i = 1; times_set_next(&u->times, u->place.root); i++)
    if (i % OPS_PER_LOOK == 0 && now_ns() > until) return STEP_MORE;
  put_u64(&j->reply, u->entries);
  put_u64(&j->reply, u->bytes);
  put_u64(&j->reply, u->skipped);
  put_str(&j->reply, u->first_skipped);
  return STEP_DONE;
}

static enum step unpack_step(struct job *j) {
  struct unpacking *u = j->state;
  if (!u) return unpack_begin(j);
  for (size_t at = 0; at < j->in.len;) {
    size_t taken = 0;
    if (take(j, j->in.data + at, j->in.len - at, &taken) == STEP_FAILED) return STEP_FAILED;
    at += taken;
    u->offset += taken;
  }
  return j->in_ended ? unpack_finish(j) : STEP_INPUT;
}

void op_unpack(struct channel *ch, struct cursor *c) {
  job_start(ch, c, unpack_step, unpack_release, JOB_INPUT);
}
