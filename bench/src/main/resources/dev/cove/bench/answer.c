/* A web server that does nothing but answer, so that what is measured is the way to it: one
 * thread, one epoll, a fixed answer for each empty line that comes.
 *
 *   answer PORT
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
#include <unistd.h>

enum { EVENTS = 64, DESCRIPTORS = 4096, ANSWERS = 64 };

static const char ANSWER[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/* How many line ends in a row came last on a connection. */
static unsigned char line_ends[DESCRIPTORS];

static int listen_on(uint16_t port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port),
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 256)) {
    perror("listen");
    exit(1);
  }
  return fd;
}

static void serve(int fd) {
  char in[8192], out[ANSWERS * sizeof ANSWER];
  ssize_t n = read(fd, in, sizeof in);
  if (n <= 0) {
    close(fd);
    return;
  }
  size_t len = 0;
  for (ssize_t i = 0; i < n; i++) {
    if (in[i] == '\r') continue;
    line_ends[fd] = in[i] == '\n' ? line_ends[fd] + 1 : 0;
    if (line_ends[fd] == 2) {
      line_ends[fd] = 0;
      if (len + sizeof ANSWER > sizeof out) break;
      memcpy(out + len, ANSWER, sizeof ANSWER - 1);
      len += sizeof ANSWER - 1;
    }
  }
  if (len && write(fd, out, len) != (ssize_t)len) close(fd);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  int door = listen_on((uint16_t)atoi(argv[1])), poll = epoll_create1(EPOLL_CLOEXEC), on = 1;
  struct epoll_event event = {.events = EPOLLIN, .data.fd = door}, events[EVENTS];
  epoll_ctl(poll, EPOLL_CTL_ADD, door, &event);
  for (;;) {
    int n = epoll_wait(poll, events, EVENTS, -1);
    for (int i = 0; i < n; i++) {
      if (events[i].data.fd != door) {
        serve(events[i].data.fd);
        continue;
      }
      int fd = accept4(door, NULL, NULL, SOCK_CLOEXEC);
      if (fd < 0) continue;
      if (fd >= DESCRIPTORS) {
        close(fd);
        continue;
      }
      line_ends[fd] = 0;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      event = (struct epoll_event){.events = EPOLLIN, .data.fd = fd};
      epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
    }
  }
}
