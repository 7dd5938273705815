/*
 * The command cove-sudo USER PROGRAM [ARGUMENT...]: has the agent (deputy.c) run a program as another
 * user, with our own stdin, stdout and stderr, and ends as it ends.
 */
#include "inside.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/signalfd.h>

#define FAIL(text) fail("sudo: ", text, sizeof(text) - 1)

static int args;   /* the memfd in which the request is written */
static int broken; /* a write to it failed */

static void put(const void *data, size_t len) {
  if (write(args, data, len) != (ssize_t)len) broken = 1;
}

static void put_u32(uint32_t value) {
  uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};
  put(bytes, sizeof bytes);
}

static void put_str(const char *text) {
  put_u32((uint32_t)strlen(text));
  put(text, strlen(text) + 1);
}

/* What says who somebody is, where programs are, and what is loaded into them is not taken along. */
static int taken_along(const char *entry) {
  static const char *const left[] = {"HOME=", "USER=",  "LOGNAME=", "SHELL=", "MAIL=",
                                     "PATH=", "PWD=",   "OLDPWD=",  "LD_",    "SUDO_"};
  for (size_t i = 0; i < sizeof left / sizeof *left; i++)
    if (strncmp(entry, left[i], strlen(left[i])) == 0) return 0;
  return entry[0] != '=' && strchr(entry, '=') != NULL;
}

static void put_number(const char *name, unsigned value) { /* printf is larger than all of this program */
  char digits[12] = "", entry[32] = "";
  char *at = digits + sizeof digits - 1;
  do *--at = (char)('0' + value % 10);
  while (value /= 10);
  strcat(strcpy(entry, name), at);
  put_str(entry);
}

static void put_environment(char **envp) {
  uint32_t count = 2;
  for (char **e = envp; *e; e++) count += (uint32_t)taken_along(*e);
  put_u32(count);
  put_number("SUDO_UID=", getuid());
  put_number("SUDO_GID=", getgid());
  for (char **e = envp; *e; e++)
    if (taken_along(*e)) put_str(*e);
}

/* As START has it: flags, rows, columns, time limit, user, folder, arguments, environment. */
static int write_request(int argc, char **argv, char **envp) {
  static const uint8_t zeros[1 + 2 + 2 + 8];
  char folder[PATH_MAX];
  args = memfd_create("request", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (args < 0 || !getcwd(folder, sizeof folder)) return -1;
  put(zeros, sizeof zeros);
  put_str(argv[1]);
  put_str(folder);
  put_u32((uint32_t)(argc - 2));
  for (int i = 2; i < argc; i++) put_str(argv[i]);
  put_environment(envp);
  return broken ? -1 : fcntl(args, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW);
}

static int send_request(int fd) {
  char kind = ASK_RUN;
  int files[ASK_RUN_FILES] = {0, 1, 2, args};
  union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof files)];
  } control = {0};
  struct iovec text = {&kind, 1};
  struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1, .msg_control = &control,
                           .msg_controllen = sizeof control};
  struct cmsghdr *c = CMSG_FIRSTHDR(&message);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof files);
  memcpy(CMSG_DATA(c), files, sizeof files);
  return sendmsg(fd, &message, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

/* Passes signals on until the command has ended. */
static int await_end(int fd, int signals) {
  for (;;) {
    struct pollfd ready[] = {{.fd = fd, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    if (poll(ready, 2, -1) < 0 && errno != EINTR) return FAIL("The end of the command was not seen.");
    struct signalfd_siginfo info;
    if (ready[1].revents && read(signals, &info, sizeof info) == sizeof info) {
      uint8_t packet[] = {ASK_SIGNAL, (uint8_t)info.ssi_signo};
      send(fd, packet, sizeof packet, MSG_NOSIGNAL);
    }
    if (!ready[0].revents) continue;
    char answer[ASK_ANSWER_MAX];
    ssize_t n = recv(fd, answer, sizeof answer, 0);
    if (n == 2 && answer[0] == ASK_ENDED) return (uint8_t)answer[1];
    if (n > 1 && answer[0] == ASK_REFUSED) return fail("sudo: ", answer + 1, (size_t)n - 1);
    return FAIL("The end of the command was not seen.");
  }
}

int sudo_main(int argc, char **argv, char **envp) {
  if (argc < 3) return FAIL("usage: cove-sudo USER PROGRAM [ARGUMENT...]");
  for (int i = 0; i < 3; i++)
    if (fcntl(i, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) return FAIL("There is no /dev/null.");
  static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT};
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++) sigaddset(&set, passed_on[i]);
  sigprocmask(SIG_BLOCK, &set, NULL);
  int signals = signalfd(-1, &set, SFD_CLOEXEC);
  if (signals < 0 || write_request(argc, argv, envp) < 0)
    return FAIL("The arguments and variables are too many.");
  int fd = agent_socket();
  if (fd < 0 || agent_connect(fd) < 0) return FAIL("Cove does not answer in this sandbox.");
  if (send_request(fd) < 0) return FAIL("Too many ask at once in this sandbox; try again.");
  return await_end(fd, signals);
}
