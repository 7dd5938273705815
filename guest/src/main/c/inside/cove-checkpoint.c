/*
 * The command cove-checkpoint, as it lies in every sandbox: asks the agent (ask.c) for a checkpoint
 * and prints its id. A program of its own rather than the agent under another name: each sandbox has
 * a copy in its memory, so it must be small, and nobody may hold the agent's file open.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "ask.h"

/* Longer than the agent waits for the host: it is the agent that gives up. */
enum { PATIENCE_S = ASK_ANSWER_S + 30, CONNECT_S = 10 };

static void say(int fd, const char *text, size_t len) {
  while (len > 0) {
    ssize_t n = write(fd, text, len);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text += n;
    len -= (size_t)n;
  }
}

static int fail(const char *text, size_t len) {
  static const char who[] = "cove-checkpoint: ";
  say(2, who, sizeof who - 1);
  say(2, text, len);
  say(2, "\n", 1);
  return 1;
}

#define FAIL(text) fail(text, sizeof(text) - 1)

static const char usage[] =
    "usage: cove-checkpoint [NAME]\n"
    "Keeps the files of this sandbox as they are now and prints the checkpoint's id.\n"
    "Its owner must allow it: cove checkpoint rules BOX --from-inside on\n";

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  if (argc > 2 || name[0] == '-') {
    int help = argc == 2 && (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0);
    say(help ? 1 : 2, usage, sizeof usage - 1);
    return help ? 0 : 2;
  }
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  struct timeval connecting = {.tv_sec = CONNECT_S}, waiting = {.tv_sec = PATIENCE_S};
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memcpy(address.sun_path + 1, ASK_SOCKET, sizeof ASK_SOCKET - 1);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof ASK_SOCKET);
  if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &connecting, sizeof connecting) < 0 ||
      setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &waiting, sizeof waiting) < 0 ||
      connect(fd, (struct sockaddr *)&address, size) < 0)
    return FAIL("Cove does not answer in this sandbox.");
  size_t len = strlen(name);
  if (len > ASK_NAME_MAX) return FAIL("The name is too long.");
  char packet[1 + ASK_NAME_MAX] = {ASK_CHECKPOINT};
  memcpy(packet + 1, name, len);
  if (send(fd, packet, 1 + len, MSG_NOSIGNAL) < 0)
    return FAIL("Too many ask at once in this sandbox; try again.");
  char answer[ASK_ANSWER_MAX];
  ssize_t n;
  do n = recv(fd, answer, sizeof answer, 0);
  while (n < 0 && errno == EINTR);
  if (n < 0) return FAIL("There was no answer in time.");
  if (n == 0) return FAIL("Too many ask at once in this sandbox; try again.");
  if (answer[0] != ASK_GRANTED) return fail(answer + 1, (size_t)n - 1);
  say(1, answer + 1, (size_t)n - 1);
  say(1, "\n", 1);
  return 0;
}
