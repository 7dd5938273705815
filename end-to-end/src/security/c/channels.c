/*
 * "hold" opens one of every channel that two processes of one machine could share and stays;
 * "find" looks for those of another process: "sysv-shm FOUND" or "sysv-shm NONE".
 */
#define _GNU_SOURCE
#include "sandboxed.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define KEY 0x5ec0c0fe
#define PORT 47173
#define SHARED_FILE "/usr/bin/env"

static socklen_t abstract_name(struct sockaddr_un *address) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  strcpy(address->sun_path + 1, "cove-channel");
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen("cove-channel"));
}

static struct sockaddr_in port(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

static int must(int result, const char *what) {
  if (result >= 0) return result;
  perror(what);
  _exit(2);
}

static int hold(void) {
  must(shmget(KEY, 4096, IPC_CREAT | 0666), "shmget");
  must(semget(KEY, 1, IPC_CREAT | 0666), "semget");
  must(msgget(KEY, IPC_CREAT | 0666), "msgget");
  must(mq_open("/cove-channel", O_CREAT | O_RDWR, 0666, NULL), "mq_open");
  must(shm_open("/cove-channel", O_CREAT | O_RDWR, 0666), "shm_open");
  must(open("/tmp/cove-channel", O_CREAT | O_RDWR, 0666), "tmp");
  struct sockaddr_un name;
  socklen_t size = abstract_name(&name);
  int local = must(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
  must(bind(local, (struct sockaddr *)&name, size), "bind");
  must(listen(local, 8), "listen");
  struct sockaddr_in address = port();
  int tcp = must(socket(AF_INET, SOCK_STREAM, 0), "socket");
  must(bind(tcp, (struct sockaddr *)&address, sizeof address), "bind tcp");
  must(listen(tcp, 8), "listen");
  int shared = must(open(SHARED_FILE, O_RDONLY), "open");
  must(flock(shared, LOCK_EX | LOCK_NB), "flock");
  puts("holding");
  fflush(stdout);
  pause();
  return 0;
}

static void say(const char *name, int found) { printf("%s %s\n", name, found ? "FOUND" : "NONE"); }

static int find(void) {
  say("sysv-shm", shmget(KEY, 0, 0) >= 0);
  say("sysv-sem", semget(KEY, 0, 0) >= 0);
  say("sysv-msg", msgget(KEY, 0) >= 0);
  say("posix-mq", mq_open("/cove-channel", O_RDWR) >= 0);
  say("posix-shm", shm_open("/cove-channel", O_RDWR, 0) >= 0);
  say("tmp-file", open("/tmp/cove-channel", O_RDWR) >= 0);
  struct sockaddr_un name;
  socklen_t size = abstract_name(&name);
  int local = socket(AF_UNIX, SOCK_STREAM, 0);
  say("abstract-socket", connect(local, (struct sockaddr *)&name, size) == 0);
  struct sockaddr_in address = port();
  int tcp = socket(AF_INET, SOCK_STREAM, 0);
  say("loopback-port", connect(tcp, (struct sockaddr *)&address, sizeof address) == 0);
  int shared = open(SHARED_FILE, O_RDONLY);
  say("lock-on-shared-file", flock(shared, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK);
  return 0;
}

int main(int argc, char **argv) {
  return argc > 1 && strcmp(argv[1], "hold") == 0 ? hold() : find();
}
