#include "agent.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

static struct source signals;
static bool leave;

/*
 * As pid 1 a request to end is passed on to everybody: init does not leave, the host ends it.
 * Anywhere else (tests) it is obeyed.
 */
static void signals_ready(struct source *s, uint32_t events) {
  (void)events;
  struct signalfd_siginfo info;
  while (read(s->fd, &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD) continue;
    if (getpid() == 1) {
      kill(-1, (int)info.ssi_signo); /* also those that have left their command's group */
    } else {
      process_signal_all(SIGKILL);
      leave = true;
    }
  }
  process_reap();
}

/* Every signal is blocked: nothing a child sends can interrupt or end us. Ours come by descriptor. */
static void signals_init(void) {
  sigset_t all, ours;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  /* Raw, because the C library keeps some numbers to itself; whoever started us may not have. */
  struct {
    void *handler;
    unsigned long flags;
    void *restorer;
    uint64_t mask;
  } by_default = {0};
  for (int i = 1; i <= 64; i++) syscall(SYS_rt_sigaction, i, &by_default, NULL, 8);
  sigemptyset(&ours);
  sigaddset(&ours, SIGCHLD);
  sigaddset(&ours, SIGTERM);
  sigaddset(&ours, SIGINT);
  sigaddset(&ours, SIGHUP);
  signals = (struct source){.fd = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK),
                            .ready = signals_ready};
  if (signals.fd < 0 || !loop_watch(&signals, EPOLLIN)) _exit(72);
}

/* The name appears when somebody listens behind it, not before. */
static int bind_socket(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int n = snprintf(address.sun_path, sizeof address.sun_path, "%s.new", path);
  if (n < 0 || (size_t)n >= sizeof address.sun_path) return -1;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  umask(077);
  if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 16) < 0) return -1;
  return rename(address.sun_path, path) < 0 ? -1 : fd;
}

/* A runtime gives us what we need as our stdin; nothing of ours may be a command's. */
static int set_aside(int fd) {
  int aside = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int i = 0; i < 3; i++)
    if (null < 0 || dup2(null, i) < 0) _exit(73);
  return aside;
}

static int64_t next_deadline(void) {
  int64_t a = process_next_deadline(), b = ask_next_deadline();
  return a < 0 ? b : b < 0 || a < b ? a : b;
}

static void usage(void) {
  fputs("usage: cove-agent (--listen-fd N | --hand-fd N | --socket PATH) [--caps HEX] [--asks on]\n", stderr);
  _exit(64);
}

int main(int argc, char **argv) {
  int listen_fd = -1;
  bool asks = false, handed = false;
  uint64_t caps = ~0ull;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 >= argc) usage();
    if (strcmp(argv[i], "--listen-fd") == 0) listen_fd = atoi(argv[i + 1]);
    else if (strcmp(argv[i], "--hand-fd") == 0) handed = true, listen_fd = set_aside(atoi(argv[i + 1]));
    else if (strcmp(argv[i], "--socket") == 0) listen_fd = bind_socket(argv[i + 1]);
    else if (strcmp(argv[i], "--caps") == 0) caps = strtoull(argv[i + 1], NULL, 16);
    else if (strcmp(argv[i], "--asks") == 0) asks = strcmp(argv[i + 1], "on") == 0;
    else usage();
  }
  if (listen_fd < 3) usage();
  fcntl(listen_fd, F_SETFD, FD_CLOEXEC);
  fcntl(listen_fd, F_SETFL, O_NONBLOCK);
  for (int fd = 0; fd < 3; fd++) /* or a pipe of ours could become a command's stdin */
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) _exit(73);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (chdir("/") < 0) _exit(74);
  umask(0); /* modes are said in full; commands get the common one */
  loop_init();
  signals_init();
  spawn_init(caps);
  if (asks && !ask_listen()) _exit(75);
  link_listen(listen_fd, handed);
  while (!leave) {
    loop_round(channels_wanting() && link_has_room() ? 0 : next_deadline());
    process_expire(now_ns());
    ask_expire(now_ns());
    channels_produce();
    link_flush();
  }
  return 0;
}
