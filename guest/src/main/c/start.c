#include "command.h"
#include "request.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Starting a command: from the host's words to a running program or a sentence that says why not. */

enum { ARGV_SHOWN_MAX = 4096 };

static struct command *describe(const struct request *r, const struct user *u) {
  struct command *cmd = calloc(1, sizeof *cmd);
  if (!cmd) return NULL;
  cmd->out.src.fd = cmd->err.src.fd = cmd->in.src.fd = cmd->status.fd = -1;
  cmd->keep = r->flags & FLAG_KEEP;
  cmd->terminal = r->flags & FLAG_TERMINAL;
  cmd->user = strdup(r->user);
  cmd->cwd = strdup(*r->cwd ? r->cwd : u->home);
  for (uint32_t i = 0; i < r->argc && cmd->argv.len < ARGV_SHOWN_MAX; i++, cmd->argc++) {
    if (strlen(r->argv[i]) > ARGV_SHOWN_MAX) {
      char cut[ARGV_SHOWN_MAX + 1];
      memcpy(cut, r->argv[i], ARGV_SHOWN_MAX);
      cut[ARGV_SHOWN_MAX] = 0;
      put_str(&cmd->argv, cut);
    } else {
      put_str(&cmd->argv, r->argv[i]);
    }
  }
  if (cmd->user && cmd->cwd && !cmd->argv.failed) return cmd;
  command_free(cmd);
  return NULL;
}

/* ---- descriptors: ours do not block, the command's do */

struct ends {
  int in[2], out[2], err[2], status[2]; /* [0] is read from, [1] written to */
};

static void close_pair(int pair[2]) {
  if (pair[0] >= 0) close(pair[0]);
  if (pair[1] >= 0) close(pair[1]);
  pair[0] = pair[1] = -1;
}

static bool open_pair(int pair[2], int our_end) {
  if (pipe2(pair, O_CLOEXEC) < 0) {
    pair[0] = pair[1] = -1;
    return false;
  }
  return fcntl(pair[our_end], F_SETFL, O_NONBLOCK) == 0;
}

static bool open_ends(struct ends *e, const struct request *r, const struct user *u) {
  if (!open_pair(e->status, 0)) return false;
  if (r->flags & FLAG_TERMINAL) {
    e->out[0] = pty_open(r->rows, r->cols, u->uid, &e->out[1]);
    if (e->out[0] < 0) return false;
    e->in[1] = fcntl(e->out[0], F_DUPFD_CLOEXEC, 3);
    return e->in[1] >= 0;
  }
  if (r->flags & FLAG_STDIN && !open_pair(e->in, 1)) return false;
  return open_pair(e->out, 0) && open_pair(e->err, 0);
}

/* ---- the answer */

static void fail_start(struct channel *ch, const struct command *cmd, struct spawn_failure f) {
  struct cursor c = {cmd->argv.data, cmd->argv.data + cmd->argv.len, false};
  const char *program = get_str(&c), *why = strerror(f.err);
  if (f.stage == STAGE_CWD)
    channel_fail(ch, f.err, "The working folder %.200s can't be entered by %.60s: %s", cmd->cwd,
                 cmd->user, why);
  else if (f.stage == STAGE_USER)
    channel_fail(ch, f.err, "The command can't run as user %.60s: %s", cmd->user, why);
  else if (f.stage == STAGE_INTERPRETER)
    channel_fail(ch, f.err, "%.200s exists, but the interpreter or loader it names does not",
                 program);
  else if (f.stage == STAGE_EXEC && f.err == ENOENT && !strchr(program, '/'))
    channel_fail(ch, f.err, "The program %.200s was not found in PATH", program);
  else if (f.stage == STAGE_EXEC && f.err == ENOEXEC)
    channel_fail(ch, f.err, "%.200s is not a program that this machine can run", program);
  else if (f.stage == STAGE_EXEC)
    channel_fail(ch, f.err, "The program %.200s can't be run by %.60s: %s", program, cmd->user, why);
  else
    channel_fail(ch, f.err, "The command could not be set up (step %d): %s", f.stage, why);
}

/* Called when the status pipe can be read, and before a command that is starting is reaped. */
static void settle(struct command *cmd) {
  struct spawn_failure f;
  ssize_t n = read(cmd->status.fd, &f, sizeof f);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  loop_drop(&cmd->status);
  cmd->starting = false;
  struct channel *ch = cmd->opener;
  cmd->opener = NULL;
  if (n == (ssize_t)sizeof f) {
    if (ch) fail_start(ch, cmd, f);
    cmd->keep = false;
    cmd->exit_sent = true; /* told; the reaper will drop it */
  } else if (ch) {
    command_attach(cmd, ch);
  }
}

static void status_ready(struct source *s, uint32_t events) {
  (void)events;
  settle((struct command *)((char *)s - offsetof(struct command, status)));
}

void command_settle(struct command *cmd) {
  if (cmd->starting) settle(cmd);
}

static void starting_closed(struct channel *ch, bool link_lost) {
  struct command *cmd = ch->owner;
  cmd->opener = NULL;
  if (link_lost) {
    cmd->keep = true;
  } else if (!cmd->keep) {
    cmd->exit_sent = true;
    command_kill(cmd);
  }
}

static const struct channel_kind starting_kind = {.closed = starting_closed};

/* ---- */

static int launch(struct command *cmd, const struct request *r, const struct user *u) {
  struct ends e = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
  pid_t pid = -1;
  if (open_ends(&e, r, u)) {
    int slave = e.out[1];
    struct spawn s = {
        .argv = r->argv, .envp = r->envp, .path = r->path, .user = u, .cwd = cmd->cwd,
        .cwd_is_home = !*r->cwd, .status = e.status[1], .terminal = cmd->terminal,
        .in = cmd->terminal ? slave : r->flags & FLAG_STDIN ? e.in[0] : null_fd(),
        .out = slave, .err = cmd->terminal ? slave : e.err[1],
    };
    cmd->started_ns = now_ns();
    pid = spawn(&s);
  }
  if (pid < 0) {
    int err = errno;
    close_pair(e.in), close_pair(e.out), close_pair(e.err), close_pair(e.status);
    return err;
  }
  if (e.in[0] >= 0) close(e.in[0]);
  close(e.out[1]);
  if (e.err[1] >= 0) close(e.err[1]);
  close(e.status[1]);
  cmd->pid = pid;
  cmd->running = cmd->starting = true;
  output_init(&cmd->out, cmd, STREAM_OUT, e.out[0]);
  output_init(&cmd->err, cmd, STREAM_ERR, e.err[0]);
  if (e.in[1] >= 0) 
    input_init(&cmd->in, e.in[1], cmd->terminal ? INPUT_TERMINAL : INPUT_PIPE, &cmd->reader);
  cmd->status = (struct source){.fd = e.status[0], .ready = status_ready};
  loop_watch(&cmd->status, EPOLLIN);
  return 0;
}

static void start(struct channel *ch, struct request *r) {
  static struct user u; /* large, and there is one loop */
  if (!command_room()) {
    channel_fail(ch, EAGAIN, "%d commands run in this sandbox already", COMMANDS_MAX);
    return;
  }
  int err = user_find(r->user, &u);
  if (err) {
    channel_fail(ch, err, "There is no user %.60s in this sandbox", r->user);
    return;
  }
  request_complete(r, &u);
  struct command *cmd = r->defaults.failed ? NULL : describe(r, &u);
  if (!cmd) {
    channel_fail(ch, ENOMEM, "The agent has no memory for another command");
    return;
  }
  err = launch(cmd, r, &u);
  if (err) {
    command_free(cmd);
    channel_fail(ch, err, "The command could not be started: %s",
                 err == EAGAIN ? "the sandbox has no room for another process" : strerror(err));
    return;
  }
  struct timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  cmd->started_ms = (int64_t)wall.tv_sec * 1000 + wall.tv_nsec / 1000000;
  if (r->timeout_ms > 0 && r->timeout_ms < (uint64_t)INT64_MAX / 4000000)
    cmd->deadline_ns = cmd->started_ns + (int64_t)r->timeout_ms * 1000000;
  ch->kind = &starting_kind;
  ch->owner = cmd;
  cmd->opener = ch;
  command_add(cmd);
}

void op_start(struct channel *ch, struct cursor *c) {
  struct request r = {0};
  if (request_get(c, &r)) start(ch, &r);
  else channel_fail(ch, EINVAL, "The command is not well-formed");
  request_free(&r);
}
