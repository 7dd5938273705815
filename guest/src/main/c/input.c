#include "agent.h"

#include <stdlib.h>
#include <sys/socket.h>

/* At most STDIN_WINDOW bytes wait here: the host sends no more than it was granted. */

static void give_room(struct input *in, size_t n) {
  if (*in->channel) channel_grant(*in->channel, (uint32_t)n);
}

void input_close(struct input *in) {
  if (!in->open) return;
  in->open = false;
  loop_drop(&in->src);
  free(in->data);
  in->data = NULL;
  in->len = in->start = 0;
  channel_want(*in->channel);
}

/* Whoever read it is gone. The host is told once, and may go on sending what it has begun. */
static void reader_gone(struct input *in) {
  size_t lost = in->len;
  bool told = in->ending;
  input_close(in);
  if (*in->channel && !told) {
    give_room(in, lost);
    channel_send_end(*in->channel, STREAM_IN);
  }
}

static void finish(struct input *in) {
  if (in->kind == INPUT_SOCKET) {
    shutdown(in->src.fd, SHUT_WR);
  } else if (in->kind == INPUT_TERMINAL) { /* a terminal stays open for output; its end of input is a key */
    int key = pty_end_char(in->src.fd);
    uint8_t byte = (uint8_t)key;
    if (key >= 0 && write(in->src.fd, &byte, 1) < 0 && errno == EAGAIN) {
      loop_watch(&in->src, EPOLLOUT);
      return;
    }
  }
  input_close(in);
}

static void push(struct input *in) {
  while (in->open && in->len > 0) {
    ssize_t n = write(in->src.fd, in->data + in->start, in->len);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) {
      reader_gone(in);
      return;
    }
    in->start += (size_t)n;
    in->len -= (size_t)n;
    give_room(in, (size_t)n);
  }
  if (!in->open) return;
  if (in->len == 0) {
    free(in->data);
    in->data = NULL;
    in->start = 0;
    if (in->ending) {
      finish(in);
      return;
    }
  }
  /* A pipe whose reader closed reports EPOLLERR, which needs no asking. */
  loop_watch(&in->src, in->len > 0 ? EPOLLOUT : in->kind == INPUT_PIPE ? EPOLLERR : 0);
}

static void ready(struct source *s, uint32_t events) {
  struct input *in = (struct input *)((char *)s - offsetof(struct input, src));
  if (in->len == 0 && (events & (EPOLLERR | EPOLLHUP))) {
    if (in->kind == INPUT_TERMINAL) loop_watch(&in->src, 0);
    else reader_gone(in);
  } else {
    push(in);
  }
}

void input_init(struct input *in, int fd, enum input_kind kind, struct channel **channel) {
  *in = (struct input){
      .src = {.fd = fd, .ready = ready}, .open = true, .kind = kind, .channel = channel};
  if (kind == INPUT_PIPE) loop_watch(&in->src, EPOLLERR);
}

uint32_t input_room(const struct input *in) {
  return in->open && !in->ending ? STDIN_WINDOW - (uint32_t)in->len : 0;
}

void input_put(struct input *in, const uint8_t *p, size_t n) {
  if (!in->open || in->ending) {
    give_room(in, n);
    return;
  }
  if (in->len == 0) { /* mostly there is room in the pipe, and nothing need be kept */
    ssize_t done = write(in->src.fd, p, n);
    if (done > 0) {
      p += done;
      n -= (size_t)done;
      give_room(in, (size_t)done);
    }
    if (n == 0) return;
  }
  if (!in->data) {
    in->data = malloc(STDIN_WINDOW);
    in->start = 0;
    if (!in->data) {
      reader_gone(in);
      return;
    }
  }
  if (in->start > 0 && in->start + in->len + n > STDIN_WINDOW) {
    memmove(in->data, in->data + in->start, in->len);
    in->start = 0;
  }
  if (n > STDIN_WINDOW - in->len) n = STDIN_WINDOW - in->len; /* can't be: credit forbids it */
  memcpy(in->data + in->start + in->len, p, n);
  in->len += n;
  push(in);
}

void input_end(struct input *in) {
  if (!in->open || in->ending) return;
  in->ending = true;
  push(in);
}
