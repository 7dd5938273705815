#include "request.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "inside/ask.h"

/*
 * Commands that somebody inside has run as another user, as sudo does elsewhere: here no program gets
 * more rights than it was started with, so it is the agent that starts them. Only where the template
 * says that everybody may. A command lives for who asked: when they are gone, it is ended.
 */
enum { DEPUTIES_MAX = 64, SEALS = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW };

struct deputy {
  struct source asker;
  struct source status; /* until exec has worked, or not */
  pid_t pid;            /* 0: the place is free */
  char program[64];
};

static struct deputy deputies[DEPUTIES_MAX];

static struct deputy *free_place(void) {
  for (int i = 0; i < DEPUTIES_MAX; i++)
    if (!deputies[i].pid) return &deputies[i];
  return NULL;
}

static bool allowed(void) {
  struct stat st;
  return agent_is_root() && lstat(ASK_RUN_ALLOWED, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == 0 &&
         !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static void tell(struct deputy *d, const void *packet, size_t len) {
  if (d->asker.fd >= 0) send(d->asker.fd, packet, len, MSG_DONTWAIT | MSG_NOSIGNAL);
  loop_drop(&d->asker);
}

/* The group's number stays taken until its leader is reaped, so this can't hit a stranger. */
static void signal_group(const struct deputy *d, int number) {
  kill(-d->pid, number);
  if (number == SIGKILL) kill(d->pid, number);
}

static void asker_ready(struct source *s, uint32_t events) {
  (void)events;
  struct deputy *d = (struct deputy *)((char *)s - offsetof(struct deputy, asker));
  uint8_t packet[3];
  ssize_t n = recv(s->fd, packet, sizeof packet, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n == 2 && packet[0] == ASK_SIGNAL && packet[1] >= 1 && packet[1] <= 64) {
    signal_group(d, packet[1]);
  } else {
    loop_drop(s);
    signal_group(d, SIGKILL);
  }
}

static void settle(struct deputy *d) {
  struct spawn_failure f;
  ssize_t n = read(d->status.fd, &f, sizeof f);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  loop_drop(&d->status);
  if (n != (ssize_t)sizeof f) return;
  char packet[ASK_ANSWER_MAX] = {ASK_REFUSED};
  const char *what = f.stage == STAGE_CWD ? "its working folder can't be entered"
                     : f.stage == STAGE_EXEC && f.err == ENOENT ? "command not found"
                                                                : strerror(f.err);
  int len = snprintf(packet + 1, sizeof packet - 1, "%s: %s", d->program, what);
  tell(d, packet, 1 + (size_t)len);
}

static void status_ready(struct source *s, uint32_t events) {
  (void)events;
  settle((struct deputy *)((char *)s - offsetof(struct deputy, status)));
}

void deputy_reaped(pid_t pid, int status) {
  for (int i = 0; i < DEPUTIES_MAX; i++) {
    struct deputy *d = &deputies[i];
    if (d->pid != pid) continue;
    if (d->status.fd >= 0) settle(d);
    int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    uint8_t packet[] = {ASK_ENDED, (uint8_t)code};
    tell(d, packet, sizeof packet);
    loop_drop(&d->status);
    d->pid = 0;
  }
}

void deputy_signal_all(int signal) {
  for (int i = 0; i < DEPUTIES_MAX; i++)
    if (deputies[i].pid) signal_group(&deputies[i], signal);
}

/* Memory that nobody can change any more: reading it neither waits nor fails half-way. */
static uint8_t *read_sealed(int fd, size_t *len) {
  struct stat st;
  int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & SEALS) != SEALS || fstat(fd, &st) < 0 || st.st_size > START_ARGS_MAX)
    return NULL;
  *len = (size_t)st.st_size;
  uint8_t *data = malloc(*len + 1);
  if (data && pread(fd, data, *len, 0) != (ssize_t)*len) {
    free(data);
    data = NULL;
  }
  return data;
}

static const char *launch(struct deputy *d, struct request *r, const int files[ASK_RUN_FILES]) {
  static struct user u; /* large, and there is one loop */
  if (user_find(r->user, &u)) return "There is no such user.";
  request_complete(r, &u);
  int status[2];
  if (r->defaults.failed || pipe2(status, O_CLOEXEC) < 0) return "The agent has no room for the command.";
  struct spawn s = {.argv = r->argv, .envp = r->envp, .path = r->path, .user = &u,
                    .cwd = *r->cwd ? r->cwd : u.home, .cwd_is_home = !*r->cwd,
                    .in = files[0], .out = files[1], .err = files[2], .status = status[1]};
  pid_t pid = spawn(&s);
  close(status[1]);
  if (pid < 0) {
    close(status[0]);
    return "The sandbox has no room for another process.";
  }
  fcntl(status[0], F_SETFL, O_NONBLOCK);
  snprintf(d->program, sizeof d->program, "%s", r->argv[0]);
  d->pid = pid;
  d->status = (struct source){.fd = status[0], .ready = status_ready};
  loop_watch(&d->status, EPOLLIN);
  return NULL;
}

const char *deputy_start(int fd, const int files[ASK_RUN_FILES]) {
  if (!allowed())
    return "programs in this sandbox cannot become another user; have the command run as root from outside";
  struct deputy *d = free_place();
  if (!d) return "Too many commands run for others in this sandbox.";
  size_t len = 0;
  uint8_t *data = read_sealed(files[3], &len);
  struct request r = {0};
  struct cursor c = {data, data + len, false};
  const char *refusal =
      data && request_get(&c, &r) ? launch(d, &r, files) : "The request is not well-formed.";
  request_free(&r);
  free(data);
  if (refusal) return refusal;
  d->asker = (struct source){.fd = fd, .ready = asker_ready};
  if (!loop_watch(&d->asker, EPOLLIN)) {
    loop_drop(&d->asker);
    signal_group(d, SIGKILL);
  }
  return NULL;
}
