#include "agent.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>

/*
 * The newest connection wins: a server that was killed leaves a link behind that looks alive, and
 * its successor must not have to wait for it. With no link at all everything runs on.
 *
 * Output: control frames are always taken, DATA only while less than SOFT is queued. What the host
 * may have outstanding bounds the control frames; a host that reads nothing meets HARD.
 */
enum { SOFT = 128 << 10, HARD = 4 << 20, KEPT = 16 << 10, IN_SIZE = 2 * (FRAME_HEAD + PAYLOAD_MAX) };

static struct source listener, peer = {.fd = -1};
static bool handed, greeted, broken;
static uint16_t spoken_version;
static uint8_t in[IN_SIZE];
static size_t in_len;
static uint8_t *out;
static size_t out_start, out_len, out_cap;
static size_t out_since_empty; /* how much passed through: memory is kept for a stream in flow */

static void drop_link(void) {
  if (peer.fd < 0) return;
  loop_drop(&peer);
  greeted = broken = false;
  in_len = out_start = out_len = out_cap = out_since_empty = 0;
  free(out);
  out = NULL;
  channels_lost();
  ask_lost();
}

bool link_up(void) { return peer.fd >= 0 && greeted && !broken; }

bool link_hears_asks(void) { return link_up() && spoken_version >= PROTOCOL_VERSION_WITH_ASKS; }

/* The link is really dropped by link_flush: callers may be deep inside one of its channels. */
void link_break(const char *why) {
  (void)why;
  broken = true;
}

static uint8_t *reserve(size_t n) {
  if (peer.fd < 0 || broken) return NULL;
  if (out_cap - out_start - out_len < n && out_start > 0) {
    memmove(out, out + out_start, out_len);
    out_start = 0;
  }
  if (out_cap - out_len < n) {
    size_t cap = out_cap ? out_cap : 4096;
    while (cap - out_len < n) cap *= 2;
    uint8_t *more = cap > HARD ? NULL : realloc(out, cap);
    if (!more) {
      link_break("the host does not read");
      return NULL;
    }
    out = more;
    out_cap = cap;
  }
  return out + out_start + out_len;
}

static void put_head(uint8_t *p, size_t len, uint8_t type, uint32_t channel) {
  store_u32(p, (uint32_t)len);
  p[4] = type;
  store_u32(p + 5, channel);
}

void link_send2(enum frame_type type, uint32_t channel, const void *a, size_t an, const void *b,
                size_t bn) {
  uint8_t *p = reserve(FRAME_HEAD + an + bn);
  if (!p) return;
  put_head(p, an + bn, (uint8_t)type, channel);
  if (an) memcpy(p + FRAME_HEAD, a, an);
  if (bn) memcpy(p + FRAME_HEAD + an, b, bn);
  out_len += FRAME_HEAD + an + bn;
  out_since_empty += FRAME_HEAD + an + bn;
}

void link_send(enum frame_type type, uint32_t channel, const void *a, size_t n) {
  link_send2(type, channel, a, n, NULL, 0);
}

bool link_has_room(void) { return link_up() && out_len < SOFT; }

uint8_t *link_data_begin(size_t room) {
  uint8_t *p = reserve(FRAME_HEAD + 1 + room);
  return p ? p + FRAME_HEAD + 1 : NULL;
}

void link_data_end(uint32_t channel, enum stream stream, size_t len) {
  uint8_t *p = out + out_start + out_len;
  put_head(p, len + 1, DATA, channel);
  p[FRAME_HEAD] = (uint8_t)stream;
  out_len += FRAME_HEAD + 1 + len;
  out_since_empty += FRAME_HEAD + 1 + len;
}

void link_flush(void) {
  while (peer.fd >= 0 && !broken && out_len > 0) {
    ssize_t n = send(peer.fd, out + out_start, out_len, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n <= 0) {
      broken = true;
      break;
    }
    out_start += (size_t)n;
    out_len -= (size_t)n;
  }
  if (broken) {
    drop_link();
    return;
  }
  if (out_len == 0) {
    if (out_cap > KEPT && out_since_empty < KEPT) {
      free(out);
      out = NULL;
      out_cap = 0;
    }
    out_start = out_since_empty = 0;
  }
  /* A host that does not take our answers gets no more questions in. */
  if (peer.fd >= 0)
    loop_watch(&peer, (out_len < HARD / 2 ? EPOLLIN : 0) | (out_len ? EPOLLOUT : 0));
}

static void send_hello(void) {
  struct buf b = {0};
  put_u32(&b, PROTOCOL_MAGIC);
  put_u16(&b, PROTOCOL_VERSION);
  put_u16(&b, PROTOCOL_MIN_VERSION);
  put_str(&b, AGENT_BUILD);
  if (!b.failed) link_send(HELLO, 0, b.data, b.len);
  buf_free(&b);
}

static void take_hello(uint8_t type, uint32_t channel, const uint8_t *payload, size_t len) {
  struct cursor c = {payload, payload + len, false};
  uint32_t magic = get_u32(&c);
  uint16_t version = get_u16(&c), min_version = get_u16(&c);
  get_str(&c);
  /* What follows in a later version's HELLO is not ours to judge. */
  if (type != HELLO || channel != 0 || c.bad || magic != PROTOCOL_MAGIC ||
      version < PROTOCOL_MIN_VERSION || min_version > PROTOCOL_VERSION)
    link_break("the host does not speak our protocol");
  else
    greeted = true;
  spoken_version = version < PROTOCOL_VERSION ? version : PROTOCOL_VERSION;
}

static void parse_frames(void) {
  size_t at = 0;
  while (!broken && in_len - at >= FRAME_HEAD) {
    struct cursor c = {in + at, in + at + FRAME_HEAD, false};
    uint32_t len = get_u32(&c);
    uint8_t type = get_u8(&c);
    uint32_t channel = get_u32(&c);
    if (len > PAYLOAD_MAX) {
      link_break("frame too long");
      return;
    }
    if (in_len - at - FRAME_HEAD < len) break;
    const uint8_t *payload = in + at + FRAME_HEAD;
    at += FRAME_HEAD + len;
    if (greeted && type == ANSWER && channel == 0)
      ask_answer(payload, len);
    else if (greeted)
      channel_frame(type, channel, payload, len);
    else
      take_hello(type, channel, payload, len);
  }
  if (broken) return;
  memmove(in, in + at, in_len - at);
  in_len -= at;
}

static void peer_ready(struct source *s, uint32_t events) {
  if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
    ssize_t n = recv(s->fd, in + in_len, IN_SIZE - in_len, MSG_DONTWAIT);
    if (n > 0) {
      in_len += (size_t)n;
      parse_frames();
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
      broken = true;
    }
  }
}

/*
 * A connection that somebody outside has accepted, handed to us over a socket that only he has. One
 * byte at a time, so that each comes with its own. A byte alone asks everybody but us to end.
 */
static int take_handed(int door) {
  char word;
  union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  struct iovec data = {&word, 1};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control,
                           .msg_controllen = sizeof control};
  ssize_t n = recvmsg(door, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return -1;
  if (n <= 0) _exit(76); /* nobody can reach us any more */
  struct cmsghdr *c = CMSG_FIRSTHDR(&message);
  if (!c && word == 't' && getpid() == 1) kill(-1, SIGTERM);
  if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) return -1;
  int fd;
  memcpy(&fd, CMSG_DATA(c), sizeof fd);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

static void listener_ready(struct source *s, uint32_t events) {
  (void)events;
  int fd = handed ? take_handed(s->fd) : accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  drop_link();
  peer = (struct source){.fd = fd, .ready = peer_ready};
  if (!loop_watch(&peer, EPOLLIN)) {
    close(fd);
    peer.fd = -1;
    return;
  }
  send_hello();
}

void link_listen(int fd, bool connections_are_handed) {
  handed = connections_are_handed;
  listener = (struct source){.fd = fd, .ready = listener_ready};
  if (!loop_watch(&listener, EPOLLIN)) _exit(71);
}
