#include "job.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/inotify.h>

/*
 * Changes below a folder. All of it happens in steps of the job: the loop only learns that there is
 * something to read. While the host takes nothing, nothing is read here, and the kernel's own queue
 * overflows in the end, which is told.
 */
enum kind { CREATED, MODIFIED, REMOVED, MOVED_FROM, MOVED_TO, OVERFLOW, ATTRIBUTES };
enum {
  MASK = IN_CREATE | IN_MODIFY | IN_ATTRIB | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
         IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR,
  EVENTS_SIZE = 16 << 10, /* on a worker's stack */
};

struct place {
  int wd;
  char *path;
};

struct watching {
  int fd;
  bool recursive, over, lost;
  struct place *places; /* by wd, ascending: the kernel counts up */
  size_t count, cap;
};

static void watch_release(struct job *j) {
  struct watching *w = j->state;
  if (!w) return;
  if (w->fd >= 0) close(w->fd);
  for (size_t i = 0; i < w->count; i++) free(w->places[i].path);
  free(w->places);
  free(w);
  j->state = NULL;
}

static void tell(struct job *j, enum kind kind, const char *path) {
  put_u32(&j->out, (uint32_t)(1 + 4 + strlen(path) + 1));
  put_u8(&j->out, (uint8_t)kind);
  put_str(&j->out, path);
}

static size_t find_place(const struct watching *w, int wd) {
  size_t low = 0, high = w->count;
  while (low < high) {
    size_t mid = (low + high) / 2;
    if (w->places[mid].wd < wd) low = mid + 1;
    else high = mid;
  }
  return low;
}

static void drop_place(struct watching *w, size_t i) {
  free(w->places[i].path);
  memmove(&w->places[i], &w->places[i + 1], (w->count - i - 1) * sizeof *w->places);
  w->count--;
}

/* 1: new, 0: known or not ours to watch, -1: no more room. */
static int add_place(struct watching *w, const char *path, int flags) {
  if (w->count >= WATCHES_MAX) return -1;
  if (w->count == w->cap) {
    size_t cap = w->cap ? w->cap * 2 : 16;
    struct place *more = realloc(w->places, cap * sizeof *more);
    if (!more) return -1;
    w->places = more;
    w->cap = cap;
  }
  int wd = inotify_add_watch(w->fd, path, MASK | (uint32_t)flags);
  if (wd < 0) return errno == ENOSPC || errno == ENOMEM ? -1 : 0;
  size_t i = find_place(w, wd);
  char *copy = strdup(path);
  if (!copy) return -1;
  if (i < w->count && w->places[i].wd == wd) { /* the same folder under a new name */
    free(w->places[i].path);
    w->places[i].path = copy;
    return 0;
  }
  memmove(&w->places[i + 1], &w->places[i], (w->count - i) * sizeof *w->places);
  w->places[i] = (struct place){wd, copy};
  w->count++;
  return 1;
}

static bool join(char path[PATH_BYTES], const char *folder, const char *name) {
  size_t n = strlen(folder), m = strlen(name);
  while (n > 0 && folder[n - 1] == '/') n--;
  if (n + m + 2 > PATH_BYTES) return false;
  memcpy(path, folder, n);
  path[n] = '/';
  memcpy(path + n + 1, name, m + 1);
  return true;
}

/*
 * Watches all folders below those from index first on. The list grows as it is walked, so no stack
 * is needed. What is found in a folder that is new was made before we watched: it is told.
 */
static int add_below(struct job *j, size_t first, bool is_new) {
  struct watching *w = j->state;
  char **todo = NULL;
  size_t count = 0, cap = 0, at = 0;
  int result = 0;
  char *start = strdup(w->places[first].path);
  for (char *folder = start; folder && result >= 0; folder = at < count ? todo[at++] : NULL) {
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && result >= 0 && (e = readdir(dir));) {
      char path[PATH_BYTES];
      if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
      if (!join(path, folder, e->d_name)) continue;
      if (is_new) tell(j, CREATED, path);
      if (e->d_type != DT_DIR && e->d_type != DT_UNKNOWN) continue;
      int added = add_place(w, path, IN_DONT_FOLLOW);
      if (added < 0) result = -1;
      if (added != 1) continue;
      if (count == cap) {
        cap = cap ? cap * 2 : 64;
        char **more = realloc(todo, cap * sizeof *more);
        if (!more) {
          result = -1;
          break;
        }
        todo = more;
      }
      if ((todo[count] = strdup(path))) count++;
    }
    if (dir) closedir(dir);
  }
  for (size_t i = 0; i < count; i++) free(todo[i]);
  free(todo);
  free(start);
  return result;
}

static enum step watch_begin(struct job *j) {
  bool recursive = get_u8(&j->args);
  if (!get_done(&j->args)) return job_fail(j, EINVAL, "The arguments are not well-formed");
  struct watching *w = calloc(1, sizeof *w);
  if (!w) return job_fail(j, ENOMEM, "The agent has no memory for this");
  j->state = w;
  w->recursive = recursive;
  w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (w->fd < 0) return job_fail_path(j, "Can't watch");
  int added = add_place(w, j->path, 0);
  if (added == 0) return job_fail_path(j, "Can't watch");
  if (added < 0 || (recursive && add_below(j, 0, false) < 0))
    return job_fail(j, ENOSPC, "Below %.200s are more folders than can be watched (%d)", j->path,
                    WATCHES_MAX);
  j->wait_fd = w->fd;
  put_u8(&j->reply, 0);
  return STEP_WAIT;
}

/* A folder came into the tree, by being made or by being moved in. */
static void folder_came(struct job *j, const char *path, bool made) {
  struct watching *w = j->state;
  int added = add_place(w, path, IN_DONT_FOLLOW);
  if (added == 1) {
    size_t i = 0;
    while (i < w->count && strcmp(w->places[i].path, path) != 0) i++;
    if (i < w->count) added = add_below(j, i, made);
  }
  if (added < 0 && !w->lost) {
    w->lost = true; /* once: from here on there are folders that are not watched */
    tell(j, OVERFLOW, j->path);
  }
}

/* What was below a folder that left is none of ours any more. */
static void folder_went(struct watching *w, const char *path) {
  size_t n = strlen(path);
  for (size_t i = w->count; i-- > 0;) {
    const char *p = w->places[i].path;
    if (strncmp(p, path, n) == 0 && (p[n] == 0 || p[n] == '/')) {
      inotify_rm_watch(w->fd, w->places[i].wd);
      drop_place(w, i);
    }
  }
}

static void take_event(struct job *j, const struct inotify_event *e) {
  struct watching *w = j->state;
  if (e->mask & IN_Q_OVERFLOW) {
    tell(j, OVERFLOW, j->path);
    return;
  }
  size_t i = find_place(w, e->wd);
  if (i >= w->count || w->places[i].wd != e->wd) return;
  bool is_root = strcmp(w->places[i].path, j->path) == 0;
  if (e->mask & (IN_DELETE_SELF | IN_MOVE_SELF) && is_root) {
    tell(j, e->mask & IN_DELETE_SELF ? REMOVED : MOVED_FROM, j->path);
    w->over = true;
    return;
  }
  if (e->mask & IN_IGNORED) {
    drop_place(w, i);
    return;
  }
  char path[PATH_BYTES];
  if (e->len == 0 || !join(path, w->places[i].path, e->name)) return;
  bool folder = e->mask & IN_ISDIR;
  if (e->mask & IN_CREATE) tell(j, CREATED, path);
  else if (e->mask & IN_DELETE) tell(j, REMOVED, path);
  else if (e->mask & IN_MOVED_FROM) tell(j, MOVED_FROM, path);
  else if (e->mask & IN_MOVED_TO) tell(j, MOVED_TO, path);
  else if (e->mask & IN_MODIFY) tell(j, MODIFIED, path);
  else if (e->mask & IN_ATTRIB) tell(j, ATTRIBUTES, path);
  if (!folder || !w->recursive) return;
  if (e->mask & IN_MOVED_FROM) folder_went(w, path);
  if (e->mask & (IN_CREATE | IN_MOVED_TO)) folder_came(j, path, e->mask & IN_CREATE);
}

static enum step watch_step(struct job *j) {
  struct watching *w = j->state;
  if (!w) return watch_begin(j);
  char events[EVENTS_SIZE] __attribute__((aligned(8)));
  while (!w->over && j->out.len < OUT_ENOUGH) {
    ssize_t n = read(w->fd, events, sizeof events);
    if (n <= 0) break;
    for (char *at = events; at < events + n && !w->over;) {
      const struct inotify_event *e = (const struct inotify_event *)at;
      at += sizeof *e + e->len;
      take_event(j, e);
    }
  }
  if (j->out.failed) return job_fail(j, ENOMEM, "The agent has no memory for this");
  return w->over ? STEP_DONE : STEP_WAIT;
}

void op_watch(struct channel *ch, struct cursor *c) {
  job_start(ch, c, watch_step, watch_release, JOB_OUTPUT);
}
