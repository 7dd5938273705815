/*
 * What the parts of the agent share.
 *
 * One thread runs the loop and owns everything here, except that a file job belongs to a worker
 * thread while one of its steps runs (work.c). Nothing in the loop waits for a child, a disk or the
 * host. Every byte from the link is checked as if the host were hostile, every byte from a child as
 * if it were the attacker, which it may well be.
 */
#ifndef COVE_AGENT_H
#define COVE_AGENT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/types.h>
#include <unistd.h>

#define AGENT_BUILD "cove-agent 0.1.0"

/* Tests build an agent as an earlier Cove had it: -DAGENT_SPEAKS=1 -DAGENT_KNOWS=OP_SYMLINK. */
#ifndef AGENT_SPEAKS
#define AGENT_SPEAKS 2
#endif
#ifndef AGENT_KNOWS
#define AGENT_KNOWS OP_PACK
#endif

enum {
  PROTOCOL_VERSION = AGENT_SPEAKS,
  PROTOCOL_VERSION_WITH_ASKS = 2,
  PROTOCOL_MIN_VERSION = 1,
  PROTOCOL_MAGIC = 0x45564f43,
  FRAME_HEAD = 9,
  PAYLOAD_MAX = 32768,
  DATA_MAX = PAYLOAD_MAX - 1,
  START_ARGS_MAX = 2 << 20,
  OTHER_ARGS_MAX = 64 << 10,
  PENDING_ARGS_MAX = 8 << 20,
  CHANNELS_MAX = 4096,
  COMMANDS_MAX = 1024,
  KEPT_MAX = 64,
  LEFTOVERS_MAX = 128,
  STDIN_WINDOW = 64 << 10,
  CREDIT_MAX = 1 << 30,
  RING_MIN = 4 << 10,
  RING_MAX = 1 << 20,
  RINGS_TOTAL_MAX = 64 << 20,
  JOBS_MAX = 256,
  WATCHES_MAX = 8192,
};

enum frame_type {
  HELLO = 1, OPEN, ARGS, REPLY, FAIL, DATA, END, CREDIT, EXIT, CLOSE, SIGNAL, RESIZE, ASK,
  ANSWER,
};

enum op {
  OP_START = 1, OP_ATTACH, OP_PROCESSES, OP_SIGNAL, OP_FORGET, OP_METRICS, OP_CONNECT,
  OP_READ = 16, OP_WRITE, OP_STAT, OP_LIST, OP_MKDIR, OP_MOVE, OP_REMOVE, OP_CHMOD, OP_SYMLINK,
  OP_WATCH, OP_UNPACK, OP_PACK,
};

enum stream { STREAM_IN = 0, STREAM_OUT = 1, STREAM_ERR = 2, STREAMS = 3 };

/* ---- loop.c: epoll, and memory that may still be named by an event of this round */

struct source {
  int fd;
  uint32_t events; /* what epoll was asked for; 0 when it does not know the descriptor */
  void (*ready)(struct source *, uint32_t events);
};

void loop_init(void);
bool loop_watch(struct source *, uint32_t events);
void loop_drop(struct source *); /* forget and close */
void loop_free(void *);          /* free at the end of this round */
void loop_round(int64_t deadline);
int64_t now_ns(void); /* monotonic */

/* ---- wire.c: payloads. A string is a u32 length, its bytes without a NUL, and one NUL. */

struct cursor {
  const uint8_t *at, *end;
  bool bad;
};

uint8_t get_u8(struct cursor *);
uint16_t get_u16(struct cursor *);
uint32_t get_u32(struct cursor *);
uint64_t get_u64(struct cursor *);
const char *get_str(struct cursor *); /* never NULL; "" when bad */
bool get_done(struct cursor *);       /* all there and nothing left over */

struct buf {
  uint8_t *data;
  size_t len, cap;
  bool failed; /* memory ran out; the content is not to be used */
};

void put(struct buf *, const void *, size_t);
uint8_t *put_room(struct buf *, size_t); /* where so many bytes may be put; NULL: no memory */
void put_u8(struct buf *, uint8_t);
void put_u16(struct buf *, uint16_t);
void put_u32(struct buf *, uint32_t);
void put_u64(struct buf *, uint64_t);
void put_str(struct buf *, const char *);
void buf_free(struct buf *);
void store_u32(uint8_t *, uint32_t);

/* ---- link.c: the one connection to the host */

void link_listen(int fd, bool connections_are_handed);
bool link_up(void);
bool link_hears_asks(void);
void link_break(const char *why);
bool link_has_room(void); /* for one more full DATA frame */
void link_send(enum frame_type, uint32_t channel, const void *, size_t);
void link_send2(enum frame_type, uint32_t channel, const void *, size_t, const void *, size_t);
uint8_t *link_data_begin(size_t room); /* where up to room bytes of a DATA frame may be put */
void link_data_end(uint32_t channel, enum stream, size_t len);
void link_flush(void);

/* ---- ask.c: what is asked from inside the sandbox */

bool ask_listen(void);
const char *ask_folder(void); /* where the commands lie that ask; NULL when nobody may */
void ask_answer(const uint8_t *payload, size_t len);
void ask_lost(void);
void ask_expire(int64_t now);
int64_t ask_next_deadline(void); /* -1: none */

/* ---- deputy.c: commands that somebody inside has run as another user */

const char *deputy_start(int fd, const int files[4]); /* keeps fd, or says why not */
void deputy_reaped(pid_t, int status);
void deputy_signal_all(int signal);

/* ---- channel.c: what the host has open */

struct channel;
struct channel_kind {
  void (*produce)(struct channel *); /* send one frame or two; channel_want() again if more */
  void (*data)(struct channel *, const uint8_t *, size_t);
  void (*end)(struct channel *);
  void (*signal)(struct channel *, int signal, bool group);
  void (*resize)(struct channel *, int rows, int cols);
  void (*closed)(struct channel *, bool link_lost); /* the host let go; the channel is freed next */
};

struct channel {
  uint32_t id;
  const struct channel_kind *kind;
  void *owner;
  uint64_t credit[STREAMS]; /* what may still be sent */
  uint32_t granted;         /* what the host may still send on STREAM_IN */
  bool wanting;
  struct channel *next_wanting, *next;
};

void channel_frame(uint8_t type, uint32_t id, const uint8_t *payload, size_t len);
void channel_want(struct channel *);
bool channels_wanting(void);
void channels_produce(void);
void channels_lost(void);
void channel_grant(struct channel *, uint32_t bytes);
void channel_sent(struct channel *, enum stream, size_t);
void channel_send_end(struct channel *, enum stream);
void channel_reply(struct channel *, const struct buf *);
void channel_finish(struct channel *); /* CLOSE, and gone */
void channel_fail(struct channel *, int err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void channel_blob(struct channel *, struct buf *); /* sends all of it on STREAM_OUT, then finishes */

/* ---- ring.c: the last bytes of a stream */

struct ring {
  uint8_t *data;
  size_t cap;
  uint64_t head, tail, sent; /* positions in the stream: written, oldest kept, next to send */
};

size_t ring_unread(const struct ring *);
size_t ring_room(const struct ring *); /* without losing what is unread */
void ring_put(struct ring *, const uint8_t *, size_t, bool history);
size_t ring_take(struct ring *, uint8_t *, size_t);
void ring_rewind(struct ring *);
void ring_free(struct ring *);
size_t rings_total(void);

/* ---- users.c */

enum { GROUPS_MAX = 256, NAME_MAX_BYTES = 256, PATH_BYTES = 4096 };
struct user {
  uid_t uid;
  gid_t gid;
  gid_t groups[GROUPS_MAX];
  int group_count;
  char name[NAME_MAX_BYTES], home[PATH_BYTES], shell[PATH_BYTES];
};
int user_find(const char *name_or_number, struct user *); /* 0 or an errno */

/* ---- spawn.c */

enum spawn_stage {
  STAGE_SETUP = 1, STAGE_TERMINAL, STAGE_CAPS, STAGE_USER, STAGE_CWD, STAGE_EXEC, STAGE_INTERPRETER,
};
struct spawn_failure {
  int stage, err;
};
struct spawn {
  char **argv, **envp;
  const char *cwd, *path;
  bool cwd_is_home;
  const struct user *user;
  int in, out, err, status;
  bool terminal;
};
void spawn_init(uint64_t caps);
pid_t spawn(const struct spawn *);
bool agent_is_root(void);
int null_fd(void);

/* ---- pty.c */

int pty_open(int rows, int cols, uid_t owner, int *slave); /* the master, or -1 and errno */
void pty_resize(int master, int rows, int cols);
int pty_end_char(int master); /* what to type for end of input, or -1 */

/* ---- process.c */

void op_start(struct channel *, struct cursor *);
void op_attach(struct channel *, struct cursor *);
void op_processes(struct channel *, struct cursor *);
void op_signal(struct channel *, struct cursor *);
void op_forget(struct channel *, struct cursor *);
void process_reap(void);
void process_expire(int64_t now);
int64_t process_next_deadline(void);
void process_signal_all(int signal);
bool process_evict_finished(void); /* drops the oldest finished command that nobody reads */
struct command;
struct channel *command_channel(const struct command *); /* its reader, or NULL */
bool command_keeps(const struct command *);
bool command_terminal(const struct command *);

/* ---- output.c: a command's output, from pipe to ring; and pipes that outlive their command */

struct output {
  struct source src;
  struct ring ring;
  struct command *command;
  enum stream stream;
  bool open, ending, end_sent;
  size_t left; /* while ending: how much the pipe held when the command ended */
};
void output_init(struct output *, struct command *, enum stream, int fd);
void output_resume(struct output *);
void output_finish(struct output *, bool terminal);
void output_free(struct output *);
bool output_held(const struct output *);

/* ---- input.c: what goes to a command's stdin or into a relay */

enum input_kind { INPUT_PIPE, INPUT_TERMINAL, INPUT_SOCKET };
struct input {
  struct source src;
  enum input_kind kind;
  uint8_t *data;
  size_t start, len;
  bool open, ending;
  struct channel **channel; /* who is told that there is room again; may point to NULL */
};
void input_init(struct input *, int fd, enum input_kind, struct channel **);
void input_put(struct input *, const uint8_t *, size_t);
void input_end(struct input *);
void input_close(struct input *);
uint32_t input_room(const struct input *);

#endif
