/*
 * The commands that lie in every sandbox, one program under several names. Not the agent under
 * another name: each sandbox has a copy in its memory, so it must be small, and nobody may hold the
 * agent's file open.
 */
#include "inside.h"

#include <sys/un.h>

void say(int fd, const char *text, size_t len) {
  while (len > 0) {
    ssize_t n = write(fd, text, len);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text += n;
    len -= (size_t)n;
  }
}

int fail(const char *who, const char *text, size_t len) {
  say(2, who, strlen(who));
  say(2, text, len);
  say(2, "\n", 1);
  return 1;
}

int agent_socket(void) { return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0); }

int agent_connect(int fd) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memcpy(address.sun_path + 1, ASK_SOCKET, sizeof ASK_SOCKET - 1);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof ASK_SOCKET);
  return connect(fd, (struct sockaddr *)&address, size);
}

int main(int argc, char **argv, char **envp) {
  const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
  const char *name = slash ? slash + 1 : argc > 0 ? argv[0] : "";
  return strcmp(name, "cove-sudo") == 0 ? sudo_main(argc, argv, envp) : checkpoint_main(argc, argv);
}
