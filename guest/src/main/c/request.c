#include "request.h"

#include <stdlib.h>

#define DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

static char **get_strings(struct cursor *c, uint32_t *count, uint32_t spare) {
  *count = get_u32(c);
  /* each string takes at least five bytes, so a lie about the count is found before memory is */
  if (c->bad || *count > (size_t)(c->end - c->at) / 5) {
    c->bad = true;
    return NULL;
  }
  char **list = calloc(*count + spare + 1, sizeof *list);
  for (uint32_t i = 0; list && i < *count; i++) list[i] = (char *)get_str(c);
  return list;
}

static char **find_entry(struct request *r, const char *name) {
  size_t n = strlen(name);
  for (uint32_t i = 0; i < r->envc; i++)
    if (strncmp(r->envp[i], name, n) == 0 && r->envp[i][n] == '=') return &r->envp[i];
  return NULL;
}

static void put_text(struct buf *b, const char *text) { put(b, text, strlen(text)); }

/* Cove's own commands are found last, in whatever else is looked through. */
static void put_path(struct buf *b, const char *path) {
  const char *folder = ask_folder();
  put_text(b, "PATH=");
  put_text(b, path);
  if (folder && *path && !strstr(path, folder)) {
    put_text(b, ":");
    put_text(b, folder);
  }
  put(b, "", 1);
}

void request_complete(struct request *r, const struct user *u) {
  const char *defaults[][2] = {
      {"HOME", u->home},   {"USER", u->name},    {"LOGNAME", u->name},
      {"SHELL", u->shell},
      {"TERM", r->flags & FLAG_TERMINAL ? "xterm-256color" : "dumb"},
  };
  enum { COUNT = sizeof defaults / sizeof *defaults };
  size_t offsets[COUNT];
  uint32_t added = 0;
  for (int i = 0; i < COUNT; i++) {
    if (find_entry(r, defaults[i][0])) continue;
    offsets[added++] = r->defaults.len;
    put_text(&r->defaults, defaults[i][0]);
    put_text(&r->defaults, "=");
    put(&r->defaults, defaults[i][1], strlen(defaults[i][1]) + 1);
  }
  char **path = find_entry(r, "PATH");
  size_t path_at = r->defaults.len;
  put_path(&r->defaults, path ? strchr(*path, '=') + 1 : DEFAULT_PATH);
  if (r->defaults.failed) return;
  for (uint32_t i = 0; i < added; i++)
    r->envp[r->envc + i] = (char *)r->defaults.data + offsets[i];
  if (!path) path = &r->envp[r->envc + added];
  *path = (char *)r->defaults.data + path_at;
  r->path = *path + strlen("PATH=");
}

bool request_get(struct cursor *c, struct request *r) {
  r->flags = get_u8(c);
  r->rows = get_u16(c);
  r->cols = get_u16(c);
  r->timeout_ms = get_u64(c);
  r->user = get_str(c);
  r->cwd = get_str(c);
  r->argv = get_strings(c, &r->argc, 0);
  r->envp = get_strings(c, &r->envc, 6);
  bool whole = get_done(c) && r->argv && r->envp && r->argc > 0 && *r->argv[0];
  for (uint32_t i = 0; whole && i < r->envc; i++) {
    const char *equals = strchr(r->envp[i], '=');
    if (!equals || equals == r->envp[i]) whole = false;
  }
  return whole;
}

void request_free(struct request *r) {
  free(r->argv);
  free(r->envp);
  buf_free(&r->defaults);
}
