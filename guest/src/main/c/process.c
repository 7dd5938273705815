#include "command.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

/*
 * The life of a command after it was started: read by somebody or by nobody, ended, kept, forgotten.
 *
 * Without keep a command lives for its reader: closing kills it, and once its exit is delivered it is
 * dropped. When the whole link is lost that was no decision of anybody, so every command is kept.
 */
enum { PID_BUCKETS = 256, REAPS_PER_TURN = 512, EXIT_TIMED_OUT = 1 };
enum { SHOW_TERMINAL = 1, SHOW_ENDED = 2, SHOW_TIMED_OUT = 4, SHOW_STDIN = 8 };

void command_settle(struct command *);

static struct command *commands; /* newest first */
static struct command *by_pid[PID_BUCKETS];
static unsigned running_count, finished_count;
static uint64_t last_id, last_finished;
static int64_t next_deadline = -1;
static bool more_to_reap;

struct channel *command_channel(const struct command *cmd) { return cmd->reader; }
bool command_keeps(const struct command *cmd) { return cmd->keep; }
bool command_terminal(const struct command *cmd) { return cmd->terminal; }
bool command_room(void) { return running_count < COMMANDS_MAX; }

static struct command *find(uint64_t id) {
  struct command *cmd = commands;
  while (cmd && cmd->id != id) cmd = cmd->next;
  return cmd && !cmd->starting ? cmd : NULL;
}

void command_free(struct command *cmd) {
  input_close(&cmd->in);
  output_free(&cmd->out);
  output_free(&cmd->err);
  loop_drop(&cmd->status);
  buf_free(&cmd->argv);
  free(cmd->user);
  free(cmd->cwd);
  loop_free(cmd);
}

void command_add(struct command *cmd) {
  cmd->id = ++last_id;
  cmd->next = commands;
  commands = cmd;
  cmd->next_by_pid = by_pid[cmd->pid % PID_BUCKETS];
  by_pid[cmd->pid % PID_BUCKETS] = cmd;
  running_count++;
  if (cmd->deadline_ns && (next_deadline < 0 || cmd->deadline_ns < next_deadline))
    next_deadline = cmd->deadline_ns;
}

static void forget(struct command *cmd) {
  struct command **at = &commands;
  while (*at != cmd) at = &(*at)->next;
  *at = cmd->next;
  if (cmd->finished) finished_count--;
  command_free(cmd);
}

static bool drained(const struct command *cmd) { return !cmd->out.open && !cmd->err.open; }

bool process_evict_finished(void) {
  struct command *oldest = NULL;
  for (struct command *cmd = commands; cmd; cmd = cmd->next)
    if (cmd->finished && !cmd->reader && drained(cmd) &&
        (!oldest || cmd->finished < oldest->finished))
      oldest = cmd;
  if (oldest) forget(oldest);
  return oldest != NULL;
}

/* The group's number stays taken while its leader is not reaped, so this can't hit a stranger. */
void command_kill(struct command *cmd) {
  if (!cmd->running) return;
  kill(-cmd->pid, SIGKILL);
  kill(cmd->pid, SIGKILL);
}

/* ---- the reader */

static void send_exit(struct command *cmd) {
  struct buf b = {0};
  put_u32(&b, (uint32_t)cmd->code);
  put_u32(&b, (uint32_t)cmd->signal);
  put_u8(&b, cmd->timed_out ? EXIT_TIMED_OUT : 0);
  put_u64(&b, (uint64_t)cmd->duration_ns);
  if (!b.failed) link_send(EXIT, cmd->reader->id, b.data, b.len);
  buf_free(&b);
  cmd->exit_sent = true;
}

static void send_output(struct channel *ch, struct output *o) {
  size_t n = ring_unread(&o->ring);
  if (n > ch->credit[o->stream]) n = (size_t)ch->credit[o->stream];
  if (n > DATA_MAX) n = DATA_MAX;
  if (n > 0) {
    uint8_t *p = link_data_begin(n);
    if (!p) return;
    n = ring_take(&o->ring, p, n);
    link_data_end(ch->id, o->stream, n);
    channel_sent(ch, o->stream, n);
    output_resume(o);
  }
  if (!o->open && ring_unread(&o->ring) == 0 && !o->end_sent) {
    channel_send_end(ch, o->stream);
    o->end_sent = true;
  }
  if (ring_unread(&o->ring) > 0 && ch->credit[o->stream] > 0) channel_want(ch);
}

static void produce(struct channel *ch) {
  struct command *cmd = ch->owner;
  send_output(ch, &cmd->out);
  send_output(ch, &cmd->err);
  if (!cmd->running && !cmd->exit_sent) send_exit(cmd);
  if (cmd->exit_sent && cmd->out.end_sent && cmd->err.end_sent) {
    cmd->reader = NULL;
    channel_finish(ch);
    if (!cmd->keep) forget(cmd);
  }
}

static void take_input(struct channel *ch, const uint8_t *p, size_t n) {
  input_put(&((struct command *)ch->owner)->in, p, n);
}

static void end_input(struct channel *ch) { input_end(&((struct command *)ch->owner)->in); }

static int send_signal(struct command *cmd, int signal, bool group) {
  if (!cmd->running) return ESRCH;
  return kill(group ? -cmd->pid : cmd->pid, signal) == 0 ? 0 : errno;
}

static void take_signal(struct channel *ch, int signal, bool group) {
  send_signal(ch->owner, signal, group);
}

static void resize(struct channel *ch, int rows, int cols) {
  struct command *cmd = ch->owner;
  if (cmd->terminal && cmd->out.open) pty_resize(cmd->out.src.fd, rows, cols);
}

static void detach(struct command *cmd) {
  cmd->reader = NULL;
  output_resume(&cmd->out);
  output_resume(&cmd->err);
}

static void closed(struct channel *ch, bool link_lost) {
  struct command *cmd = ch->owner;
  if (link_lost) cmd->keep = true;
  if (cmd->keep) {
    detach(cmd);
  } else if (cmd->running) {
    cmd->reader = NULL;
    cmd->exit_sent = true; /* nobody wants to know: the reaper will drop it */
    command_kill(cmd);
    detach(cmd);
  } else {
    cmd->reader = NULL;
    forget(cmd);
  }
}

const struct channel_kind command_kind = {
    .produce = produce, .data = take_input, .end = end_input, .signal = take_signal,
    .resize = resize, .closed = closed,
};

void command_attach(struct command *cmd, struct channel *ch) {
  if (cmd->reader)
    channel_fail(cmd->reader, EBUSY, "Another reader has attached to command %llu",
                 (unsigned long long)cmd->id);
  cmd->reader = ch;
  cmd->exit_sent = cmd->out.end_sent = cmd->err.end_sent = false;
  ring_rewind(&cmd->out.ring);
  ring_rewind(&cmd->err.ring);
  ch->kind = &command_kind;
  ch->owner = cmd;
  struct buf b = {0};
  put_u64(&b, cmd->id);
  put_u32(&b, (uint32_t)cmd->pid);
  put_u8(&b, (uint8_t)((cmd->terminal ? SHOW_TERMINAL : 0) | (cmd->in.open ? SHOW_STDIN : 0)));
  put_u64(&b, cmd->out.ring.tail);
  put_u64(&b, cmd->err.ring.tail);
  channel_reply(ch, &b);
  buf_free(&b);
  channel_grant(ch, input_room(&cmd->in));
  channel_want(ch);
}

/* ---- operations on commands by number */

static struct command *get_command(struct channel *ch, struct cursor *c) {
  uint64_t id = get_u64(c);
  struct command *cmd = find(id);
  if (!cmd)
    channel_fail(ch, ENOENT, "This sandbox has no command %llu; it ended and was not kept, or never was",
                 (unsigned long long)id);
  return cmd;
}

void op_attach(struct channel *ch, struct cursor *c) {
  struct command *cmd = get_command(ch, c);
  if (cmd) command_attach(cmd, ch);
}

void op_signal(struct channel *ch, struct cursor *c) {
  struct command *cmd = get_command(ch, c);
  if (!cmd) return;
  uint32_t signal = get_u32(c);
  bool group = get_u8(c);
  int err = !get_done(c) || signal < 1 || signal > 64 ? EINVAL : 0;
  if (!err) err = send_signal(cmd, (int)signal, group);
  if (err)
    channel_fail(ch, err, "Command %llu can't be signalled: %s", (unsigned long long)cmd->id,
                 err == ESRCH ? "it has ended" : strerror(err));
  else
    channel_finish(ch);
}

void op_forget(struct channel *ch, struct cursor *c) {
  struct command *cmd = get_command(ch, c);
  if (!cmd) return;
  if (cmd->reader) {
    struct channel *reader = cmd->reader;
    cmd->reader = NULL;
    channel_fail(reader, ECANCELED, "Command %llu was forgotten", (unsigned long long)cmd->id);
  }
  cmd->keep = false;
  if (cmd->running) {
    cmd->exit_sent = true;
    command_kill(cmd);
    detach(cmd);
  } else {
    forget(cmd);
  }
  channel_finish(ch);
}

void op_processes(struct channel *ch, struct cursor *c) {
  (void)c;
  struct buf b = {0};
  for (struct command *cmd = commands; cmd; cmd = cmd->next) {
    if (cmd->starting || (cmd->exit_sent && !cmd->keep)) continue;
    put_u64(&b, cmd->id);
    put_u32(&b, (uint32_t)cmd->pid);
    put_u8(&b, (uint8_t)((cmd->terminal ? SHOW_TERMINAL : 0) | (cmd->running ? 0 : SHOW_ENDED) |
                         (cmd->timed_out ? SHOW_TIMED_OUT : 0)));
    put_u64(&b, (uint64_t)cmd->started_ms);
    put_u32(&b, (uint32_t)cmd->code);
    put_u32(&b, (uint32_t)cmd->signal);
    put_u64(&b, (uint64_t)cmd->duration_ns);
    put_str(&b, cmd->user);
    put_str(&b, cmd->cwd);
    put_u32(&b, cmd->argc);
    put(&b, cmd->argv.data, cmd->argv.len);
  }
  channel_blob(ch, &b);
}

/* ---- endings */

static void ended(struct command *cmd, int status) {
  command_settle(cmd);
  struct command **at = &by_pid[cmd->pid % PID_BUCKETS];
  while (*at != cmd) at = &(*at)->next_by_pid;
  *at = cmd->next_by_pid;
  running_count--;
  cmd->running = false;
  cmd->duration_ns = now_ns() - cmd->started_ns;
  cmd->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  cmd->code = cmd->signal ? 128 + cmd->signal : WEXITSTATUS(status);
  cmd->finished = ++last_finished;
  finished_count++;
  input_close(&cmd->in);
  output_finish(&cmd->out, cmd->terminal);
  output_finish(&cmd->err, false);
  if (cmd->exit_sent && !cmd->keep && !cmd->reader) {
    forget(cmd);
  } else {
    channel_want(cmd->reader);
    if (finished_count > KEPT_MAX) process_evict_finished();
  }
}

/* Orphans come here too, at times in great numbers; the loop gets its turn in between. */
void process_reap(void) {
  more_to_reap = false;
  for (int i = 0; i < REAPS_PER_TURN; i++) {
    int status;
    pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid <= 0) return;
    struct command *cmd = by_pid[pid % PID_BUCKETS];
    while (cmd && cmd->pid != pid) cmd = cmd->next_by_pid;
    if (cmd) ended(cmd, status);
    else deputy_reaped(pid, status);
  }
  more_to_reap = true;
}

int64_t process_next_deadline(void) { return more_to_reap ? 0 : next_deadline; }

void process_expire(int64_t now) {
  if (more_to_reap) process_reap();
  if (next_deadline < 0 || now < next_deadline) return;
  next_deadline = -1;
  for (struct command *cmd = commands; cmd; cmd = cmd->next) {
    if (!cmd->running || !cmd->deadline_ns) continue;
    if (cmd->deadline_ns <= now) {
      cmd->timed_out = true;
      cmd->deadline_ns = 0;
      command_kill(cmd);
    } else if (next_deadline < 0 || cmd->deadline_ns < next_deadline) {
      next_deadline = cmd->deadline_ns;
    }
  }
}

void process_signal_all(int signal) {
  for (struct command *cmd = commands; cmd; cmd = cmd->next)
    if (cmd->running) kill(-cmd->pid, signal);
  deputy_signal_all(signal);
}
