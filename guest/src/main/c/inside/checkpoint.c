/*
 * The command cove-checkpoint: asks the agent (ask.c) for a checkpoint and prints its id.
 */
#include "inside.h"

#include <sys/time.h>

/* Longer than the agent waits for the host: it is the agent that gives up. */
enum { PATIENCE_S = ASK_ANSWER_S + 30, CONNECT_S = 10 };

#define FAIL(text) fail("cove-checkpoint: ", text, sizeof(text) - 1)

static const char usage[] =
    "usage: cove-checkpoint [NAME]\n"
    "Keeps the files of this sandbox as they are now and prints the checkpoint's id.\n"
    "Its owner must allow it: cove checkpoint rules BOX --from-inside on\n";

int checkpoint_main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  if (argc > 2 || name[0] == '-') {
    int help = argc == 2 && (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0);
    say(help ? 1 : 2, usage, sizeof usage - 1);
    return help ? 0 : 2;
  }
  struct timeval connecting = {.tv_sec = CONNECT_S}, waiting = {.tv_sec = PATIENCE_S};
  int fd = agent_socket();
  if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &connecting, sizeof connecting) < 0 ||
      setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &waiting, sizeof waiting) < 0 || agent_connect(fd) < 0)
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
  if (answer[0] != ASK_GRANTED) return fail("cove-checkpoint: ", answer + 1, (size_t)n - 1);
  say(1, answer + 1, (size_t)n - 1);
  say(1, "\n", 1);
  return 0;
}
