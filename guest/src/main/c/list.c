#include "job.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>

/* Entries below a folder, depth first, each level an open folder. */

enum { LEVELS_MAX = 32, MARK_END = 0, MARK_ENTRY = 1, MARK_CUT = 2 };

struct listing {
  uint32_t limit, count;
  int depth, level;
  DIR *dirs[LEVELS_MAX];
  size_t ends[LEVELS_MAX]; /* where in path each level's own name ends */
  char path[2 * PATH_BYTES];
};

static void list_release(struct job *j) {
  struct listing *l = j->state;
  if (!l) return;
  for (int i = 0; i <= l->level && i < LEVELS_MAX; i++)
    if (l->dirs[i]) closedir(l->dirs[i]);
  free(l);
  j->state = NULL;
}

static DIR *open_dir(int at, const char *name, int flags) {
  int fd = open_path(at, name, O_RDONLY | O_DIRECTORY | O_NONBLOCK | flags, 0);
  if (fd < 0) return NULL;
  DIR *dir = fdopendir(fd);
  if (!dir) close(fd);
  return dir;
}

static enum step list_begin(struct job *j) {
  uint32_t depth = get_u32(&j->args), limit = get_u32(&j->args);
  if (!get_done(&j->args) || depth < 1)
    return job_fail(j, EINVAL, "The arguments are not well-formed");
  struct listing *l = calloc(1, sizeof *l);
  if (!l) return job_fail(j, ENOMEM, "The agent has no memory for this");
  j->state = l;
  l->depth = depth > LEVELS_MAX ? LEVELS_MAX : (int)depth;
  l->limit = limit;
  l->dirs[0] = open_dir(AT_FDCWD, j->path, 0);
  if (!l->dirs[0]) return job_fail_path(j, "Can't list");
  size_t n = strlen(j->path);
  while (n > 0 && j->path[n - 1] == '/') n--;
  memcpy(l->path, j->path, n);
  l->ends[0] = n;
  return STEP_MORE;
}

/* Shows one entry and goes into it if it is a folder. */
static void list_entry(struct job *j, const char *name) {
  struct listing *l = j->state;
  size_t end = l->ends[l->level], n = strlen(name);
  int dir = dirfd(l->dirs[l->level]);
  struct stat st;
  if (end + n + 2 > sizeof l->path || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0) return;
  l->path[end] = '/';
  memcpy(l->path + end + 1, name, n + 1);
  char target[PATH_BYTES] = "";
  if (S_ISLNK(st.st_mode)) read_link(dir, name, target);
  put_u8(&j->out, MARK_ENTRY);
  put_file(&j->out, l->path, &st, target);
  l->count++;
  if (!S_ISDIR(st.st_mode) || l->level + 1 >= l->depth) return;
  DIR *below = open_dir(dir, name, O_NOFOLLOW);
  if (!below) return; /* not ours to read; it was shown, and that is all there is to say */
  l->level++;
  l->dirs[l->level] = below;
  l->ends[l->level] = end + 1 + n;
}

static enum step list_step(struct job *j) {
  struct listing *l = j->state;
  if (!l) {
    enum step begun = list_begin(j);
    if (begun != STEP_MORE) return begun;
    l = j->state;
  }
  while (l->level >= 0) {
    if (j->out.failed) return job_fail(j, ENOMEM, "The agent has no memory for this");
    if (j->out.len >= OUT_ENOUGH) return STEP_MORE;
    struct dirent *e = readdir(l->dirs[l->level]);
    if (!e) {
      closedir(l->dirs[l->level]);
      l->dirs[l->level--] = NULL;
    } else if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
      if (l->count >= l->limit) break;
      list_entry(j, e->d_name);
    }
  }
  put_u8(&j->out, l->level >= 0 ? MARK_CUT : MARK_END);
  return STEP_DONE;
}

void op_list(struct channel *ch, struct cursor *c) {
  job_start(ch, c, list_step, list_release, JOB_OUTPUT);
}
