/* Asks a web server again and again over connections that stay open, one request at a time on
 * each, and prints the time of every answer in nanoseconds, as it took place.
 *
 *   ask PORT HOST CONNECTIONS SECONDS
 *
 * One thread and one epoll: what it takes of the processor is missing to what is measured.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 256, TIMES = 8 << 20, EVENTS = 256 };

static const char BODY[] = "\r\n\r\nok";

struct peer {
  int fd;
  size_t matched;
  int64_t asked;
};

static struct peer peers[CONNECTIONS];
static uint32_t times[TIMES];
static size_t count;
static char request[1024];
static size_t request_len;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void ask(struct peer *p) {
  p->matched = 0;
  p->asked = now();
  if (write(p->fd, request, request_len) != (ssize_t)request_len) fail("write");
}

/* True at the end of an answer, which must be the expected one. */
static int heard(struct peer *p) {
  char in[4096];
  ssize_t n = read(p->fd, in, sizeof in);
  if (n <= 0) fail("read");
  for (ssize_t i = 0; i < n; i++) {
    p->matched = in[i] == BODY[p->matched] ? p->matched + 1 : in[i] == BODY[0];
    if (p->matched == sizeof BODY - 1) return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1])),
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  request_len = (size_t)snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", argv[2]);
  int connections = atoi(argv[3]), poll = epoll_create1(EPOLL_CLOEXEC), on = 1;
  if (connections < 1 || connections > CONNECTIONS || request_len >= sizeof request) return 2;
  for (int i = 0; i < connections; i++) {
    peers[i].fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(peers[i].fd, (struct sockaddr *)&to, sizeof to)) fail("connect");
    setsockopt(peers[i].fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &peers[i]};
    epoll_ctl(poll, EPOLL_CTL_ADD, peers[i].fd, &event);
  }
  int64_t end = now() + (int64_t)(atof(argv[4]) * 1e9);
  for (int i = 0; i < connections; i++) ask(&peers[i]);
  while (now() < end && count < TIMES) {
    struct epoll_event events[EVENTS];
    int n = epoll_wait(poll, events, EVENTS, 10000);
    if (n == 0) {
      fputs("No answer for ten seconds\n", stderr);
      return 1;
    }
    for (int i = 0; i < n && count < TIMES; i++) {
      struct peer *p = events[i].data.ptr;
      if (!heard(p)) continue;
      times[count++] = (uint32_t)(now() - p->asked);
      ask(p);
    }
  }
  for (size_t i = 0; i < count; i++) printf("%u\n", times[i]);
  return 0;
}
