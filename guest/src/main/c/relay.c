#include "job.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

/* A TCP connection to a port on the sandbox's loopback: IPv4 first, then IPv6. */

struct relay {
  struct source src; /* connecting, then reading */
  struct input in;   /* writing, through a second descriptor */
  struct channel *ch;
  uint16_t port;
  bool v6, connected, ended;
};

static void relay_free(struct relay *r) {
  loop_drop(&r->src);
  input_close(&r->in);
  loop_free(r);
}

static void give_up(struct relay *r, int err) {
  struct channel *ch = r->ch;
  unsigned port = r->port;
  relay_free(r);
  channel_fail(ch, err, "Port %u of the sandbox can't be reached: %s", port, strerror(err));
}

static int try_connect(struct relay *r) {
  struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(r->port),
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(r->port),
                            .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  r->src.fd = socket(r->v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (r->src.fd < 0) return errno;
  int failed = r->v6 ? connect(r->src.fd, (struct sockaddr *)&v6, sizeof v6)
                     : connect(r->src.fd, (struct sockaddr *)&v4, sizeof v4);
  if (failed && errno != EINPROGRESS) {
    int err = errno;
    loop_drop(&r->src);
    return err;
  }
  return loop_watch(&r->src, EPOLLOUT) ? 0 : ENOMEM;
}

static void connected(struct relay *r) {
  int fd = dup(r->src.fd);
  if (fd < 0) {
    give_up(r, errno);
    return;
  }
  r->connected = true;
  input_init(&r->in, fd, INPUT_SOCKET, &r->ch);
  link_send(REPLY, r->ch->id, NULL, 0);
  channel_grant(r->ch, input_room(&r->in));
  loop_watch(&r->src, EPOLLIN);
}

static void relay_ready(struct source *s, uint32_t events) {
  (void)events;
  struct relay *r = (struct relay *)s;
  if (r->connected) { /* read when there is credit and room: see produce */
    loop_watch(s, 0);
    channel_want(r->ch);
    return;
  }
  int err = 0;
  socklen_t len = sizeof err;
  getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &err, &len);
  if (err && !r->v6) {
    loop_drop(s);
    r->v6 = true;
    if (try_connect(r) != 0) give_up(r, err);
  } else if (err) {
    give_up(r, err);
  } else {
    connected(r);
  }
}

static void finish_if_both_ended(struct relay *r) {
  if (!r->ended || r->in.open) return;
  struct channel *ch = r->ch;
  relay_free(r);
  channel_finish(ch);
}

static void produce(struct channel *ch) {
  struct relay *r = ch->owner;
  if (r->connected && !r->ended) {
    size_t room = ch->credit[STREAM_OUT] < DATA_MAX ? (size_t)ch->credit[STREAM_OUT] : DATA_MAX;
    if (room == 0) return; /* CREDIT brings us back */
    uint8_t *p = link_data_begin(room);
    if (!p) return;
    ssize_t n = recv(r->src.fd, p, room, MSG_DONTWAIT);
    if (n > 0) {
      link_data_end(ch->id, STREAM_OUT, (size_t)n);
      channel_sent(ch, STREAM_OUT, (size_t)n);
      channel_want(ch);
    } else if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
      loop_watch(&r->src, EPOLLIN);
    } else {
      r->ended = true;
      if (n < 0) input_close(&r->in); /* reset: neither direction works any more */
      loop_drop(&r->src);
      channel_send_end(ch, STREAM_OUT);
    }
  }
  finish_if_both_ended(r);
}

static void take_data(struct channel *ch, const uint8_t *p, size_t n) {
  struct relay *r = ch->owner;
  if (r->connected) input_put(&r->in, p, n);
}

static void take_end(struct channel *ch) {
  struct relay *r = ch->owner;
  if (r->connected) input_end(&r->in);
  channel_want(ch);
}

static void closed(struct channel *ch, bool link_lost) {
  (void)link_lost;
  struct relay *r = ch->owner;
  r->ch = NULL;
  relay_free(r);
}

static const struct channel_kind relay_kind = {
    .produce = produce, .data = take_data, .end = take_end, .closed = closed};

void op_connect(struct channel *ch, struct cursor *c) {
  uint16_t port = get_u16(c);
  struct relay *r = get_done(c) && port > 0 ? calloc(1, sizeof *r) : NULL;
  if (!r) {
    channel_fail(ch, EINVAL, "The port is not well-formed");
    return;
  }
  r->src = (struct source){.fd = -1, .ready = relay_ready};
  r->in.src.fd = -1;
  r->port = port;
  r->ch = ch;
  ch->kind = &relay_kind;
  ch->owner = r;
  int err = try_connect(r);
  if (err) {
    r->v6 = true;
    if (try_connect(r) != 0) give_up(r, err);
  }
}
