#include "job.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The loop's side of jobs: between a channel and the steps. */

static unsigned job_count;

static void job_done(struct job *j);

static void job_free(struct job *j) {
  job_count--;
  if (j->wait.fd >= 0 && j->wait.events) loop_watch(&j->wait, 0);
  buf_free(&j->out);
  buf_free(&j->reply);
  buf_free(&j->in);
  buf_free(&j->incoming);
  free(j->user);
  free(j->arg_bytes);
  loop_free(j);
}

static void schedule(struct job *j) {
  if (j->busy) return;
  if (j->wait.events) loop_watch(&j->wait, 0);
  struct buf empty = j->in; /* the two take turns, so that memory is touched once */
  j->in = j->incoming;
  j->incoming = empty;
  j->in_ended = j->incoming_ended;
  j->out.len = j->sent = 0;
  j->busy = true;
  if (worker_run(j)) return;
  /* No thread and no room for one, as under a fork bomb. */
  j->busy = false;
  struct channel *ch = j->ch;
  if (j->started && j->release) j->release(j);
  job_free(j);
  if (ch) channel_fail(ch, EAGAIN, "The sandbox has no room for another thread of the agent");
}

static bool unsent(const struct job *j) { return j->sent < j->out.len; }

/* What to do next, given that no step runs. */
static void advance(struct job *j) {
  if (!j->ch) {
    if (j->last == STEP_DONE || j->last == STEP_FAILED) job_free(j);
    else schedule(j); /* one last time, to clean up */
    return;
  }
  if (unsent(j)) return; /* produce() comes back here */
  struct channel *ch = j->ch;
  switch (j->last) {
    case STEP_MORE:
      schedule(j);
      break;
    case STEP_INPUT:
      if (j->incoming.len > 0 || j->incoming_ended) schedule(j);
      break;
    case STEP_WAIT:
      j->wait.fd = j->wait_fd;
      loop_watch(&j->wait, EPOLLIN);
      break;
    case STEP_DONE:
      if (j->has_output) channel_send_end(ch, STREAM_OUT);
      j->ch = NULL;
      job_free(j);
      channel_finish(ch);
      break;
    case STEP_FAILED:
      j->ch = NULL;
      channel_fail(ch, j->err, "%s", j->message);
      job_free(j);
      break;
  }
}

/* A worker gave the job back. */
static void job_done(struct job *j) {
  j->busy = false;
  size_t taken = j->in.len;
  j->in.len = 0;
  if (j->ch) {
    if (j->reply.len > 0) {
      channel_reply(j->ch, &j->reply);
      j->reply.len = 0;
    }
    if (j->takes_input && j->last == STEP_INPUT)
      channel_grant(j->ch, j->started ? (uint32_t)taken : INPUT_WINDOW);
    if (unsent(j)) channel_want(j->ch);
  }
  j->started = true;
  advance(j);
}

static void wait_ready(struct source *s, uint32_t events) {
  (void)events;
  schedule((struct job *)((char *)s - offsetof(struct job, wait)));
}

static void produce(struct channel *ch) {
  struct job *j = ch->owner;
  if (j->busy || !unsent(j)) return;
  size_t n = j->out.len - j->sent;
  if (n > ch->credit[STREAM_OUT]) n = (size_t)ch->credit[STREAM_OUT];
  if (n > DATA_MAX) n = DATA_MAX;
  if (n == 0) return;
  uint8_t *p = link_data_begin(n);
  if (!p) return;
  memcpy(p, j->out.data + j->sent, n);
  link_data_end(ch->id, STREAM_OUT, n);
  channel_sent(ch, STREAM_OUT, n);
  j->sent += n;
  if (unsent(j)) channel_want(ch);
  else advance(j);
}

static void take_data(struct channel *ch, const uint8_t *p, size_t n) {
  struct job *j = ch->owner;
  if (!j->takes_input || j->incoming_ended) {
    link_break("DATA for an operation that takes none");
    return;
  }
  put(&j->incoming, p, n);
  if (j->incoming.failed) link_break("no memory for input");
  else if (!j->busy && j->last == STEP_INPUT) schedule(j);
}

static void take_end(struct channel *ch) {
  struct job *j = ch->owner;
  j->incoming_ended = true;
  if (!j->busy && j->last == STEP_INPUT) schedule(j);
}

static void closed(struct channel *ch, bool link_lost) {
  (void)link_lost;
  struct job *j = ch->owner;
  j->ch = NULL;
  atomic_store(&j->cancelled, true);
  if (!j->busy) advance(j);
}

static const struct channel_kind job_kind = {
    .produce = produce, .data = take_data, .end = take_end, .closed = closed};

void job_start(struct channel *ch, struct cursor *c, enum step (*step)(struct job *),
               void (*release)(struct job *), int flags) {
  if (job_count >= JOBS_MAX) {
    channel_fail(ch, EAGAIN, "More than %d file operations are open in this sandbox", JOBS_MAX);
    return;
  }
  size_t len = (size_t)(c->end - c->at);
  struct job *j = calloc(1, sizeof *j);
  uint8_t *args = malloc(len + 1);
  if (!j || !args) {
    free(j);
    free(args);
    channel_fail(ch, ENOMEM, "The agent has no memory for this");
    return;
  }
  job_count++;
  memcpy(args, c->at, len);
  j->arg_bytes = args;
  j->args = (struct cursor){args, args + len, false};
  j->step = step;
  j->release = release;
  j->has_output = flags & JOB_OUTPUT;
  j->takes_input = flags & JOB_INPUT;
  j->as_root = flags & JOB_AS_ROOT;
  j->wait_fd = -1;
  j->wait = (struct source){.fd = -1, .ready = wait_ready};
  if (!j->as_root) {
    j->user_name = get_str(&j->args);
    j->path = get_str(&j->args);
  }
  if (j->args.bad || (!j->as_root && *j->path != '/')) {
    job_free(j);
    channel_fail(ch, EINVAL, "A path must be absolute and the request whole");
    return;
  }
  j->ch = ch;
  ch->kind = &job_kind;
  ch->owner = j;
  worker_init(job_done);
  schedule(j);
}

enum step job_fail(struct job *j, int err, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(j->message, sizeof j->message, format, args);
  va_end(args);
  j->err = err;
  return STEP_FAILED;
}

enum step job_fail_path(struct job *j, const char *what) {
  int err = errno;
  return job_fail(j, err, "%s %.200s: %s", what, j->path, strerror(err));
}
