/*
 * Between the host's serial port and the agent's socket. A serial port has no connections, so what
 * the host sends is escaped: ESCAPE ESCAPED is the one byte ESCAPE, and ESCAPE ANEW with a number
 * begins a connection, whatever was under way. The number comes back before anything of the new
 * connection does, so that the host knows where that begins. What we send is not escaped.
 */
#define _GNU_SOURCE
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define ESCAPE 0xdb
#define ESCAPED 1
#define ANEW 2
#define NUMBER 16
#define ROOM 32768

/* Bytes on their way in one direction. */
struct flow {
  unsigned char bytes[ROOM];
  size_t from, to;
};

static int port = -1, agent = -1, polls = -1;
static enum { PLAIN, AFTER_ESCAPE, IN_NUMBER } state;
static size_t numbered; /* how much of the number has come */
static unsigned char number[NUMBER];
static struct flow inwards, outwards;

void relay_init(int link, int epoll) {
  port = link;
  polls = epoll;
}

static void hang_up(void) {
  if (agent >= 0) close(agent);
  agent = -1;
  inwards.from = inwards.to = outwards.from = outwards.to = 0;
}

static void watch_agent(void) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.fd = agent};
  epoll_ctl(polls, EPOLL_CTL_ADD, agent, &event);
}

/* The number goes first; the agent's bytes follow it. */
static void connect_anew(void) {
  hang_up();
  memcpy(outwards.bytes, number, NUMBER);
  outwards.to = NUMBER;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strcpy(address.sun_path, box_socket);
  agent = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (connect(agent, (struct sockaddr *)&address, sizeof address) < 0)
    hang_up();
  else
    watch_agent();
}

/* A second ESCAPE after one that another host left behind begins anew as well. */
static void after_escape(unsigned char next) {
  if (next == ESCAPE) return;
  state = PLAIN;
  if (next == ESCAPED) inwards.bytes[inwards.to++] = ESCAPE;
  if (next != ANEW) return;
  state = IN_NUMBER;
  numbered = 0;
}

static void take_in(unsigned char next) {
  if (state == AFTER_ESCAPE) {
    after_escape(next);
  } else if (next == ESCAPE) {
    state = AFTER_ESCAPE;
  } else if (state == PLAIN) {
    inwards.bytes[inwards.to++] = next;
  } else {
    number[numbered++] = next;
    if (numbered < NUMBER) return;
    state = PLAIN;
    connect_anew();
  }
}

static bool pass_in(void) {
  while (agent >= 0 && inwards.from < inwards.to) {
    ssize_t n = send(agent, inwards.bytes + inwards.from, inwards.to - inwards.from, MSG_NOSIGNAL);
    if (n < 0) {
      if (errno == EAGAIN) return false;
      hang_up();
      break;
    }
    inwards.from += (size_t)n;
  }
  inwards.from = inwards.to = 0;
  return true;
}

static void from_host(void) {
  unsigned char some[ROOM / 2];
  while (pass_in()) {
    ssize_t n = read(port, some, sizeof some);
    if (n <= 0) return; /* nothing now, or nobody there */
    for (ssize_t i = 0; i < n; i++) take_in(some[i]);
  }
}

static bool pass_out(void) {
  while (outwards.from < outwards.to) {
    ssize_t n = write(port, outwards.bytes + outwards.from, outwards.to - outwards.from);
    if (n <= 0) return false;
    outwards.from += (size_t)n;
  }
  outwards.from = outwards.to = 0;
  return true;
}

static void from_agent(void) {
  while (pass_out() && agent >= 0) {
    ssize_t n = recv(agent, outwards.bytes, ROOM, 0);
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
      hang_up();
      return;
    }
    outwards.to = (size_t)n;
  }
}

/* Each of the two may have room or bytes; edges are told once, so both ways are tried to their end. */
void relay_event(int fd) {
  (void)fd;
  from_host();
  from_agent();
}
