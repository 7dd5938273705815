#define _GNU_SOURCE
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

struct host host = {.cgroup2 = -1, .favor = -1};

/* Nobody is there to hear it but the console, which tests and curious people turn on. */
static void console(void) {
  mknod("/console", S_IFCHR | 0600, 5 << 8 | 1);
  int fd = open("/console", O_WRONLY);
  if (fd >= 0) report_to(fd);
}

static void first_mounts(void) {
  step = "mount /proc, /sys and /dev";
  static const char *const folders[] = {"/proc", "/sys", "/dev"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (mkdir(folders[i], 0755) < 0 && errno != EEXIST) child_fail(errno);
  check(mount("proc", "/proc", "proc", 0, NULL));
  check(mount("sysfs", "/sys", "sysfs", 0, NULL));
  if (mount("devtmpfs", "/dev", "devtmpfs", 0, NULL) < 0 && errno != EBUSY) child_fail(errno);
}

/* Held open: the files themselves stay behind with the initial memory disk. */
static void own_files(void) {
  step = "open the agent";
  host.agent = check(open("/cove-agent", O_RDONLY | O_CLOEXEC));
  int command = check(open("/command", O_RDONLY | O_CLOEXEC));
  struct stat info;
  check(fstat(command, &info));
  host.command_size = (size_t)info.st_size;
  host.command = mmap(NULL, host.command_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, command, 0);
  check(host.command == MAP_FAILED ? -1 : 0);
  close(command);
}

/* The kernel's first root cannot be left by pivot_root, which the sandbox's root needs. */
static void leave_first_root(void) {
  step = "leave the first root";
  check(mkdir("/place", 0755));
  check(mount("cove", "/place", "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=0700,size=1m"));
  static const char *const kept[][2] = {{"/proc", "/place/proc"}, {"/sys", "/place/sys"},
                                        {"/dev", "/place/dev"}};
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    check(mkdir(kept[i][1], 0755));
    check(mount(kept[i][0], kept[i][1], NULL, MS_MOVE, NULL));
  }
  check(chdir("/place"));
  check(mount(".", "/", NULL, MS_MOVE, NULL));
  check(chroot("."));
  check(chdir("/"));
  places_make();
}

static int watch(int epoll, int fd, unsigned events) {
  struct epoll_event event = {.events = events, .data.fd = fd};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static int child_signals(void) {
  sigset_t all, child;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  return check(signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
}

/* The machine is there for the sandbox, and ends with it. */
static void on_child(int signals, bool *began) {
  struct signalfd_siginfo info;
  while (read(signals, &info, sizeof info) == sizeof info) {}
  *began = *began || box_runs();
  box_reap();
  if (*began && !box_runs()) reboot(RB_POWER_OFF);
}

int main(void) {
  umask(0);
  console();
  first_mounts();
  modules_load();
  own_files();
  step = "find the host";
  int link = port_open("cove.link"), control = port_open("cove.control");
  wire_up();
  leave_first_root();
  int signals = child_signals();
  int epoll = check(epoll_create1(EPOLL_CLOEXEC));
  check(watch(epoll, signals, EPOLLIN));
  check(watch(epoll, link, EPOLLIN | EPOLLOUT | EPOLLET));
  check(watch(epoll, control, EPOLLIN | EPOLLOUT | EPOLLET));
  relay_init(link, epoll);
  bool began = false;
  for (;;) {
    struct epoll_event event;
    int count = epoll_wait(epoll, &event, 1, -1);
    if (count < 0 && errno != EINTR) return 1;
    if (count < 1) continue;
    if (event.data.fd == signals)
      on_child(signals, &began);
    else if (event.data.fd == control)
      control_ready(control);
    else
      relay_event(event.data.fd);
  }
}
