#include "agent.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "inside/ask.h"

/*
 * Requests from inside the sandbox to its host. Anybody inside may ask, and whoever asks may be the
 * attacker: few are heard at once, nobody may keep a place for long without saying something, and one
 * request at a time goes to the host, which decides. A link that breaks answers it with a refusal.
 */
enum { ASKERS_MAX = 16, SPEAK_S = 5 };

struct asker {
  struct source src;
  int64_t deadline;
};

static struct source door = {.fd = -1};
static struct asker askers[ASKERS_MAX];
static struct asker *asking;  /* who waits for the host's answer; NULL also when they left */
static uint32_t outstanding;  /* the number of the request that the host has, or 0 */
static uint32_t last_number;

static struct asker *free_place(void) {
  for (int i = 0; i < ASKERS_MAX; i++)
    if (askers[i].src.fd < 0) return &askers[i];
  return NULL;
}

static void drop(struct asker *a) {
  loop_drop(&a->src);
  if (asking == a) asking = NULL;
}

static void answer(struct asker *a, uint8_t kind, const char *text) {
  char packet[ASK_ANSWER_MAX] = {(char)kind};
  size_t len = strnlen(text, sizeof packet - 1);
  memcpy(packet + 1, text, len);
  send(a->src.fd, packet, 1 + len, MSG_DONTWAIT | MSG_NOSIGNAL);
  drop(a);
}

static void ask_host(struct asker *a, const char *name) {
  struct buf b = {0};
  if (++last_number == 0) last_number = 1;
  put_u32(&b, last_number);
  put_u8(&b, ASK_CHECKPOINT);
  put_str(&b, name);
  if (b.failed) {
    answer(a, ASK_REFUSED, "The agent has no memory for the request.");
  } else {
    link_send(ASK, 0, b.data, b.len);
    outstanding = last_number;
    asking = a;
    a->deadline = now_ns() + (int64_t)ASK_ANSWER_S * 1000000000;
    loop_watch(&a->src, EPOLLRDHUP);
  }
  buf_free(&b);
}

/* What came with a packet; the kernel drops and closes what there is no room for. */
static int take_files(struct msghdr *message, int files[ASK_RUN_FILES]) {
  int count = 0;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    count = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(files, CMSG_DATA(c), (size_t)count * sizeof(int));
  }
  return count;
}

/* From here on the connection belongs to the command. */
static void run_for(struct asker *a, const int files[ASK_RUN_FILES]) {
  int fd = fcntl(a->src.fd, F_DUPFD_CLOEXEC, 3);
  const char *refusal = fd < 0 ? "The agent has no descriptor for the request." : deputy_start(fd, files);
  if (refusal) {
    if (fd >= 0) close(fd);
    answer(a, ASK_REFUSED, refusal);
  } else {
    drop(a);
  }
}

static void asker_ready(struct source *s, uint32_t events) {
  (void)events;
  struct asker *a = (struct asker *)s;
  if (asking == a) { /* it has nothing more to say, so it left */
    drop(a);
    return;
  }
  char packet[1 + ASK_NAME_MAX + 2];
  union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(ASK_RUN_FILES * sizeof(int))];
  } control;
  struct iovec text = {packet, sizeof packet - 1};
  struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1, .msg_control = &control,
                           .msg_controllen = sizeof control};
  ssize_t n = recvmsg(s->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {
    drop(a);
    return;
  }
  packet[n] = 0;
  int files[ASK_RUN_FILES];
  int file_count = take_files(&message, files);
  if (n == 1 && packet[0] == ASK_RUN && file_count == ASK_RUN_FILES)
    run_for(a, files);
  else if (n > 1 + ASK_NAME_MAX) answer(a, ASK_REFUSED, "The name is too long.");
  else if (packet[0] != ASK_CHECKPOINT || memchr(packet + 1, 0, (size_t)n - 1))
    answer(a, ASK_REFUSED, "The request is not well-formed.");
  else if (outstanding)
    answer(a, ASK_REFUSED, "Another checkpoint is being taken; ask again when it is there.");
  else if (!link_hears_asks())
    answer(a, ASK_REFUSED, "The server does not hear this sandbox just now; ask again later.");
  else
    ask_host(a, packet + 1);
  for (int i = 0; i < file_count; i++) close(files[i]);
}

static void door_ready(struct source *s, uint32_t events) {
  (void)events;
  int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  struct asker *a = free_place();
  if (!a) {
    close(fd);
    return;
  }
  *a = (struct asker){.src = {.fd = fd, .ready = asker_ready},
                      .deadline = now_ns() + (int64_t)SPEAK_S * 1000000000};
  if (!loop_watch(&a->src, EPOLLIN)) {
    close(fd);
    a->src.fd = -1;
  }
}

/* Before any command runs, so that the name is ours. */
bool ask_listen(void) {
  for (int i = 0; i < ASKERS_MAX; i++) askers[i].src.fd = -1;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memcpy(address.sun_path + 1, ASK_SOCKET, sizeof ASK_SOCKET - 1);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof ASK_SOCKET);
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) < 0 || listen(fd, ASKERS_MAX) < 0)
    return false;
  door = (struct source){.fd = fd, .ready = door_ready};
  return loop_watch(&door, EPOLLIN);
}

const char *ask_folder(void) { return door.fd < 0 ? NULL : ASK_FOLDER; }

void ask_answer(const uint8_t *payload, size_t len) {
  struct cursor c = {payload, payload + len, false};
  uint32_t number = get_u32(&c);
  uint8_t kind = get_u8(&c);
  const char *text = get_str(&c);
  if (!get_done(&c) || kind > ASK_REFUSED || number == 0 || number != outstanding) {
    link_break("an answer that nobody waits for");
    return;
  }
  outstanding = 0;
  if (asking) answer(asking, kind, text);
}

void ask_lost(void) {
  outstanding = 0;
  if (asking)
    answer(asking, ASK_REFUSED,
           "The server went away before it answered; the checkpoint may have been taken or not.");
}

void ask_expire(int64_t now) {
  for (int i = 0; door.fd >= 0 && i < ASKERS_MAX; i++)
    if (askers[i].src.fd >= 0 && askers[i].deadline <= now)
      answer(&askers[i], ASK_REFUSED, "There was no answer in time.");
}

int64_t ask_next_deadline(void) {
  int64_t next = -1;
  for (int i = 0; door.fd >= 0 && i < ASKERS_MAX; i++)
    if (askers[i].src.fd >= 0 && (next < 0 || askers[i].deadline < next)) next = askers[i].deadline;
  return next;
}
