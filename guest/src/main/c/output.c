#include "agent.h"

#include <stdlib.h>
#include <sys/ioctl.h>

enum { READ_SIZE = 32 << 10, READS_PER_TURN = 4, TTY_LEFT_MAX = 256 << 10 };

struct leftover {
  struct source src;
  struct leftover *next;
};

static uint8_t scratch[READ_SIZE];
static struct leftover *leftovers;
static unsigned leftover_count;

/* ---- pipes that background children still hold after their command ended */

static void leftover_remove(struct leftover *l) {
  struct leftover **at = &leftovers;
  while (*at != l) at = &(*at)->next;
  *at = l->next;
  leftover_count--;
  loop_drop(&l->src);
  loop_free(l);
}

static void leftover_ready(struct source *s, uint32_t events) {
  (void)events;
  ssize_t n = read(s->fd, scratch, sizeof scratch);
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) leftover_remove((struct leftover *)s);
}

/* Reading on keeps them from being stopped by a full pipe; past the bound the oldest is closed. */
static void leftover_add(int fd) {
  struct leftover *l = calloc(1, sizeof *l);
  if (!l) {
    close(fd);
    return;
  }
  if (leftover_count >= LEFTOVERS_MAX) {
    struct leftover *oldest = leftovers;
    while (oldest->next) oldest = oldest->next;
    leftover_remove(oldest);
  }
  l->src = (struct source){.fd = fd, .ready = leftover_ready};
  l->next = leftovers;
  leftovers = l;
  leftover_count++;
  loop_watch(&l->src, EPOLLIN);
}

/* ---- output of a command */

static void stop(struct output *o, bool at_end, bool terminal) {
  o->open = false;
  o->ending = false;
  if (at_end || terminal) {
    loop_drop(&o->src);
  } else {
    int fd = o->src.fd;
    loop_watch(&o->src, 0);
    o->src.fd = -1;
    leftover_add(fd);
  }
}

/* A reader that is attached holds the command back; with none the oldest bytes make room. */
static void pull(struct output *o) {
  for (int turn = 0; turn < READS_PER_TURN && o->open; turn++) {
    size_t want = sizeof scratch;
    bool attached = command_channel(o->command) != NULL;
    if (attached && ring_room(&o->ring) < want) want = ring_room(&o->ring);
    if (o->ending && o->left < want) want = o->left;
    if (want == 0) {
      if (o->ending && o->left == 0) stop(o, false, command_terminal(o->command));
      else loop_watch(&o->src, 0);
      break;
    }
    ssize_t n = read(o->src.fd, scratch, want);
    if (n > 0) {
      ring_put(&o->ring, scratch, (size_t)n, command_keeps(o->command));
      if (o->ending) o->left -= (size_t)n;
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else if (n < 0 && errno == EAGAIN) {
      if (o->ending) stop(o, false, command_terminal(o->command));
      break;
    } else { /* end of the pipe; a terminal says EIO when nobody has it open any more */
      stop(o, true, false);
      break;
    }
    if ((size_t)n < want && !o->ending) break;
  }
  if (o->open && o->src.events == 0 &&
      (!command_channel(o->command) || ring_room(&o->ring) > 0))
    loop_watch(&o->src, EPOLLIN);
  channel_want(command_channel(o->command));
}

static void ready(struct source *s, uint32_t events) {
  (void)events;
  pull((struct output *)((char *)s - offsetof(struct output, src)));
}

void output_init(struct output *o, struct command *command, enum stream stream, int fd) {
  *o = (struct output){.src = {.fd = fd, .ready = ready}, .command = command, .stream = stream};
  o->open = fd >= 0;
  if (o->open) loop_watch(&o->src, EPOLLIN);
}

bool output_held(const struct output *o) { return o->open && o->src.events == 0; }

void output_resume(struct output *o) {
  if (output_held(o)) pull(o);
}

/*
 * The command ended. Its own last words are in the pipe by now; whatever children in the background
 * add later is not awaited.
 */
void output_finish(struct output *o, bool terminal) {
  if (!o->open) return;
  int left = 0;
  if (terminal) left = TTY_LEFT_MAX;
  else if (ioctl(o->src.fd, FIONREAD, &left) < 0) left = READ_SIZE;
  o->ending = true;
  o->left = (size_t)left;
  for (int i = 0; i < 64 && o->open && o->ending; i++) {
    pull(o);
    if (output_held(o)) break;
  }
}

void output_free(struct output *o) {
  loop_drop(&o->src);
  o->open = false;
  ring_free(&o->ring);
}
