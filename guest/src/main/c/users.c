#include "agent.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

/*
 * /etc/passwd and /etc/group belong to the sandbox: anything may lie there. They are read only when
 * they are ordinary files, only so far, and a line that makes no sense is passed over.
 */
enum { DATABASE_MAX = 1 << 20, FIELDS_MAX = 7 };

static char *read_database(const char *path) {
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return NULL;
  struct stat st;
  char *text = NULL;
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
    size_t cap = st.st_size < DATABASE_MAX ? (size_t)st.st_size : DATABASE_MAX, len = 0;
    text = malloc(cap + 1);
    while (text && len < cap) {
      ssize_t n = read(fd, text + len, cap - len);
      if (n <= 0) break;
      len += (size_t)n;
    }
    if (text) text[len] = 0;
  }
  close(fd);
  return text;
}

/* Cuts the next line off and into fields; returns how many, or -1 at the end. */
static int next_line(char **text, char *fields[FIELDS_MAX]) {
  if (!*text || !**text) return -1;
  char *line = *text, *end = strchr(line, '\n');
  if (end) *end = 0;
  *text = end ? end + 1 : line + strlen(line);
  int n = 0;
  for (char *at = line; at && n < FIELDS_MAX; n++) {
    fields[n] = at;
    at = strchr(at, ':');
    if (at) *at++ = 0;
  }
  return n;
}

static bool number(const char *s, uint32_t *value) {
  uint64_t v = 0;
  if (!*s) return false;
  for (; *s; s++) {
    if (*s < '0' || *s > '9') return false;
    v = v * 10 + (uint64_t)(*s - '0');
    if (v >= UINT32_MAX) return false; /* -1 means "leave as it is" to setuid */
  }
  *value = (uint32_t)v;
  return true;
}

static void copy(char *to, size_t size, const char *from) {
  size_t n = strlen(from);
  if (n >= size) n = size - 1;
  memcpy(to, from, n);
  to[n] = 0;
}

static void fill(struct user *u, uid_t uid, gid_t gid, const char *name, const char *home,
                 const char *shell) {
  u->uid = uid;
  u->gid = gid;
  copy(u->name, sizeof u->name, name);
  copy(u->home, sizeof u->home, *home == '/' ? home : "/");
  copy(u->shell, sizeof u->shell, *shell == '/' ? shell : "/bin/sh");
}

static bool find_in_passwd(const char *wanted, bool by_number, uint32_t wanted_uid, struct user *u) {
  char *text = read_database("/etc/passwd"), *rest = text, *f[FIELDS_MAX];
  bool found = false;
  for (int n; !found && (n = next_line(&rest, f)) >= 0;) {
    uint32_t uid, gid;
    if (n < 7 || !*f[0] || !number(f[2], &uid) || !number(f[3], &gid)) continue;
    if (strcmp(f[0], wanted) != 0 && !(by_number && uid == wanted_uid)) continue;
    fill(u, uid, gid, f[0], f[5], f[6]);
    found = true;
  }
  free(text);
  return found;
}

static bool in_list(const char *list, const char *name) {
  size_t n = strlen(name);
  while (*list) {
    size_t len = strcspn(list, ",");
    if (len == n && memcmp(list, name, n) == 0) return true;
    list += len;
    if (*list) list++;
  }
  return false;
}

static void find_groups(struct user *u) {
  u->group_count = 0;
  u->groups[u->group_count++] = u->gid;
  char *text = read_database("/etc/group"), *rest = text, *f[FIELDS_MAX];
  for (int n; (n = next_line(&rest, f)) >= 0;) {
    uint32_t gid;
    if (n < 4 || !number(f[2], &gid) || gid == u->gid || !in_list(f[3], u->name)) continue;
    if (u->group_count < GROUPS_MAX) u->groups[u->group_count++] = gid;
  }
  free(text);
}

int user_find(const char *wanted, struct user *u) {
  uint32_t uid = 0;
  bool by_number = number(wanted, &uid);
  if (!find_in_passwd(wanted, by_number, uid, u)) {
    if (strcmp(wanted, "root") == 0 || (by_number && uid == 0))
      fill(u, 0, 0, "root", "/root", "/bin/sh");
    else if (strcmp(wanted, "user") == 0 || (by_number && uid == 1000))
      fill(u, 1000, 1000, "user", "/home/user", "/bin/sh");
    else if (by_number)
      fill(u, uid, uid, wanted, "/", "/bin/sh");
    else
      return ENOENT;
  }
  find_groups(u);
  return 0;
}
