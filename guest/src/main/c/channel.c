#include "job.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * The host opens channels; each carries one operation. The agent's last frame on a channel is CLOSE
 * or FAIL. Frames for a channel that is gone are stale, not wrong: they crossed our CLOSE.
 */
enum { BUCKETS = 256, ERROR_MAX = 512 };

struct pending { /* arguments that did not fit into the OPEN frame */
  uint8_t op;
  size_t total, len;
  uint8_t data[];
};

static struct channel *buckets[BUCKETS];
static unsigned channel_count;
static struct channel *wanting_first, *wanting_last;
static size_t pending_bytes;

static struct channel *find(uint32_t id) {
  struct channel *ch = buckets[id % BUCKETS];
  while (ch && ch->id != id) ch = ch->next;
  return ch;
}

static void unlink_channel(struct channel *ch) {
  struct channel **at = &buckets[ch->id % BUCKETS];
  while (*at != ch) at = &(*at)->next;
  *at = ch->next;
  channel_count--;
  if (ch->wanting) {
    struct channel *before = NULL;
    for (struct channel *w = wanting_first; w != ch; w = w->next_wanting) before = w;
    if (before) before->next_wanting = ch->next_wanting;
    else wanting_first = ch->next_wanting;
    if (wanting_last == ch) wanting_last = before;
  }
  loop_free(ch);
}

void channel_want(struct channel *ch) {
  if (!ch || ch->wanting) return;
  ch->wanting = true;
  ch->next_wanting = NULL;
  if (wanting_last) wanting_last->next_wanting = ch;
  else wanting_first = ch;
  wanting_last = ch;
}

bool channels_wanting(void) { return wanting_first != NULL; }

void channels_produce(void) {
  while (wanting_first && link_has_room()) {
    struct channel *ch = wanting_first;
    wanting_first = ch->next_wanting;
    if (!wanting_first) wanting_last = NULL;
    ch->wanting = false;
    if (ch->kind && ch->kind->produce) ch->kind->produce(ch);
  }
}

void channels_lost(void) {
  for (int i = 0; i < BUCKETS; i++) {
    while (buckets[i]) {
      struct channel *ch = buckets[i];
      if (ch->kind && ch->kind->closed) ch->kind->closed(ch, true);
      unlink_channel(ch);
    }
  }
}

void channel_grant(struct channel *ch, uint32_t bytes) {
  if (!ch || bytes == 0) return;
  ch->granted += bytes;
  uint8_t p[5] = {STREAM_IN};
  store_u32(p + 1, bytes);
  link_send(CREDIT, ch->id, p, sizeof p);
}

void channel_sent(struct channel *ch, enum stream stream, size_t n) { ch->credit[stream] -= n; }

void channel_send_end(struct channel *ch, enum stream stream) {
  uint8_t p = (uint8_t)stream;
  link_send(END, ch->id, &p, 1);
}

void channel_reply(struct channel *ch, const struct buf *b) {
  if (b->failed || b->len > PAYLOAD_MAX) link_break("no memory for a reply");
  else link_send(REPLY, ch->id, b->data, b->len);
}

void channel_finish(struct channel *ch) {
  link_send(CLOSE, ch->id, NULL, 0);
  unlink_channel(ch);
}

void channel_fail(struct channel *ch, int err, const char *format, ...) {
  char message[ERROR_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  struct buf b = {0};
  put_u32(&b, (uint32_t)err);
  put_str(&b, message);
  if (b.failed) link_break("no memory for an error");
  else link_send(FAIL, ch->id, b.data, b.len);
  buf_free(&b);
  unlink_channel(ch);
}

/* ---- a result of any size, under flow control */

struct blob {
  struct buf buf;
  size_t at;
};

static void blob_free(struct blob *blob) {
  buf_free(&blob->buf);
  free(blob);
}

static void blob_produce(struct channel *ch) {
  struct blob *blob = ch->owner;
  size_t n = blob->buf.len - blob->at;
  if (n > ch->credit[STREAM_OUT]) n = (size_t)ch->credit[STREAM_OUT];
  if (n > DATA_MAX) n = DATA_MAX;
  if (n > 0) {
    uint8_t *p = link_data_begin(n);
    if (!p) return;
    memcpy(p, blob->buf.data + blob->at, n);
    link_data_end(ch->id, STREAM_OUT, n);
    channel_sent(ch, STREAM_OUT, n);
    blob->at += n;
  }
  if (blob->at == blob->buf.len) {
    channel_send_end(ch, STREAM_OUT);
    blob_free(blob);
    channel_finish(ch);
  } else if (ch->credit[STREAM_OUT] > 0) {
    channel_want(ch);
  }
}

static void blob_closed(struct channel *ch, bool link_lost) {
  (void)link_lost;
  blob_free(ch->owner);
}

void channel_blob(struct channel *ch, struct buf *b) {
  static const struct channel_kind kind = {.produce = blob_produce, .closed = blob_closed};
  struct blob *blob = calloc(1, sizeof *blob);
  if (!blob || b->failed) {
    free(blob);
    buf_free(b);
    channel_fail(ch, ENOMEM, "The agent has no memory for the answer");
    return;
  }
  blob->buf = *b;
  *b = (struct buf){0};
  ch->kind = &kind;
  ch->owner = blob;
  channel_want(ch);
}

/* ---- opening */

static void dispatch(struct channel *ch, uint8_t op, const uint8_t *args, size_t len) {
  static void (*const ops[])(struct channel *, struct cursor *) = {
      [OP_START] = op_start,   [OP_ATTACH] = op_attach, [OP_PROCESSES] = op_processes,
      [OP_SIGNAL] = op_signal, [OP_FORGET] = op_forget, [OP_METRICS] = op_metrics,
      [OP_CONNECT] = op_connect, [OP_READ] = op_read,   [OP_WRITE] = op_write,
      [OP_STAT] = op_stat,     [OP_LIST] = op_list,     [OP_MKDIR] = op_mkdir,
      [OP_MOVE] = op_move,     [OP_REMOVE] = op_remove, [OP_CHMOD] = op_chmod,
      [OP_SYMLINK] = op_symlink, [OP_WATCH] = op_watch, [OP_UNPACK] = op_unpack,
      [OP_PACK] = op_pack,
  };
  struct cursor c = {args, args + len, false};
  if (op > AGENT_KNOWS || op >= sizeof ops / sizeof *ops || !ops[op])
    channel_fail(ch, ENOSYS, "This agent (%s) does not know operation %u", AGENT_BUILD, op);
  else
    ops[op](ch, &c);
}

static void pending_closed(struct channel *ch, bool link_lost) {
  (void)link_lost;
  struct pending *p = ch->owner;
  pending_bytes -= p->total;
  free(p);
}

static const struct channel_kind pending_kind = {.closed = pending_closed};

static void take_args(struct channel *ch, const uint8_t *payload, size_t len) {
  struct pending *p = ch->owner;
  if (ch->kind != &pending_kind || len == 0 || len > p->total - p->len) {
    link_break("arguments that were not announced");
    return;
  }
  memcpy(p->data + p->len, payload, len);
  p->len += len;
  if (p->len < p->total) return;
  ch->kind = NULL;
  ch->owner = NULL;
  dispatch(ch, p->op, p->data, p->len);
  pending_bytes -= p->total;
  free(p);
}

static void open_channel(uint32_t id, const uint8_t *payload, size_t len) {
  struct cursor c = {payload, payload + len, false};
  uint8_t op = get_u8(&c);
  uint32_t window = get_u32(&c), total = get_u32(&c);
  size_t here = (size_t)(c.end - c.at);
  if (c.bad || id == 0 || window > CREDIT_MAX || here > total || find(id)) {
    link_break("broken OPEN");
    return;
  }
  struct channel *ch = calloc(1, sizeof *ch);
  if (!ch) {
    link_break("no memory for a channel");
    return;
  }
  ch->id = id;
  ch->credit[STREAM_OUT] = ch->credit[STREAM_ERR] = window;
  ch->next = buckets[id % BUCKETS];
  buckets[id % BUCKETS] = ch;
  channel_count++;
  if (channel_count > CHANNELS_MAX) {
    channel_fail(ch, EAGAIN, "More than %d operations are open in this sandbox", CHANNELS_MAX);
  } else if (total > (op == OP_START ? START_ARGS_MAX : OTHER_ARGS_MAX)) {
    channel_fail(ch, E2BIG, "Arguments of %u bytes are too long", total);
  } else if (here == total) {
    dispatch(ch, op, c.at, here);
  } else {
    struct pending *p = NULL;
    if (pending_bytes + total <= PENDING_ARGS_MAX) p = malloc(sizeof *p + total);
    if (!p) {
      channel_fail(ch, ENOMEM, "The agent has no memory for %u bytes of arguments", total);
      return;
    }
    pending_bytes += total;
    p->op = op;
    p->total = total;
    p->len = here;
    memcpy(p->data, c.at, here);
    ch->kind = &pending_kind;
    ch->owner = p;
  }
}

static void take_credit(struct channel *ch, struct cursor *c) {
  uint8_t stream = get_u8(c);
  uint32_t bytes = get_u32(c);
  if (!get_done(c) || (stream != STREAM_OUT && stream != STREAM_ERR) ||
      bytes > CREDIT_MAX - ch->credit[stream]) {
    link_break("broken CREDIT");
    return;
  }
  ch->credit[stream] += bytes;
  channel_want(ch);
}

static void take_data(struct channel *ch, struct cursor *c) {
  uint8_t stream = get_u8(c);
  size_t n = (size_t)(c->end - c->at);
  if (c->bad || stream != STREAM_IN || n > ch->granted) {
    link_break("DATA without credit");
    return;
  }
  ch->granted -= (uint32_t)n;
  if (ch->kind && ch->kind->data) ch->kind->data(ch, c->at, n);
}

void channel_frame(uint8_t type, uint32_t id, const uint8_t *payload, size_t len) {
  if (type == OPEN) {
    open_channel(id, payload, len);
    return;
  }
  struct channel *ch = find(id);
  struct cursor c = {payload, payload + len, false};
  if (type < ARGS || type > RESIZE || type == REPLY || type == FAIL || type == EXIT) {
    link_break("a frame that only the agent may send");
  } else if (!ch) {
    return;
  } else if (type == ARGS) {
    take_args(ch, payload, len);
  } else if (type == DATA) {
    take_data(ch, &c);
  } else if (type == CREDIT) {
    take_credit(ch, &c);
  } else if (type == END) {
    if (get_u8(&c) != STREAM_IN || !get_done(&c)) link_break("broken END");
    else if (ch->kind && ch->kind->end) ch->kind->end(ch);
  } else if (type == SIGNAL) {
    uint32_t signal = get_u32(&c);
    bool group = get_u8(&c);
    if (!get_done(&c) || signal < 1 || signal > 64) link_break("broken SIGNAL");
    else if (ch->kind && ch->kind->signal) ch->kind->signal(ch, (int)signal, group);
  } else if (type == RESIZE) {
    int rows = get_u16(&c), cols = get_u16(&c);
    if (!get_done(&c)) link_break("broken RESIZE");
    else if (ch->kind && ch->kind->resize) ch->kind->resize(ch, rows, cols);
  } else { /* CLOSE: answered, so that the host knows when the number means nothing any more */
    if (ch->kind && ch->kind->closed) ch->kind->closed(ch, false);
    channel_finish(ch);
  }
}
