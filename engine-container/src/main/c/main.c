/* The parent: leaves the host's mount tree, then clones, watches, kills and reaps. */
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif
#define CLONE_ARGS_SIZE 88 /* up to and with .cgroup */
#define FACT_FAVORDYNMODS 1u
#define FACT_LOOP_DEVICES 2u

enum { OP_START = 1, OP_WATCH = 2, OP_KILL = 3, OP_MEASURE = 4 };

struct host host = {.cgroup2 = -1, .favor = -1};

/* A process that is watched: a cage or a measuring child of ours, or a cage of an earlier spawner. */
struct watched {
  struct watched *next;
  uint64_t start_time;
  uint32_t seq; /* of the request that still waits for an answer; 0 when it has one */
  int pid, pidfd, report;
  int own;
  int cage;
  unsigned char message[1024];
  size_t received;
};
static struct watched *all;
static int epoll_fd;
static unsigned char requests[MAX_FRAME + 4];
static size_t requests_size;

__attribute__((noreturn)) static void die(const char *what) {
  fprintf(stderr, "cove-spawner: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int must(int result, const char *what) {
  if (result < 0) die(what);
  return result;
}

/* Field 22 of /proc/pid/stat. With the pid it names a process for good, until the next boot. */
static uint64_t start_time_of(int pid) {
  char name[32], text[1024];
  snprintf(name, sizeof name, "%d/stat", pid);
  int fd = openat(host.proc, name, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  if (n <= 0) return 0;
  text[n] = 0;
  char *at = strrchr(text, ')'); /* the name may hold anything, so count from its end */
  for (int field = 2; at && field < 22; field++) {
    at = strchr(at, ' ');
    if (at) at++;
  }
  return at ? strtoull(at, NULL, 10) : 0;
}

/* The lowest bit of the epoll data tells the report pipe from the pidfd. */
static int poll_add(struct watched *watched, int fd, int is_report) {
  struct epoll_event event = {.events = EPOLLIN};
  event.data.u64 = (uint64_t)(uintptr_t)watched | (is_report ? 1u : 0u);
  return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static void forget(struct watched *watched) {
  struct watched **at = &all;
  while (*at != watched) at = &(*at)->next;
  *at = watched->next;
  if (watched->report >= 0) close(watched->report);
  close(watched->pidfd);
  free(watched);
}

/* The pipe has ended: the child runs the agent, has measured, or has failed. */
static void answer_request(struct watched *watched) {
  uint32_t head[2] = {0, 0};
  if (watched->received >= sizeof head) memcpy(head, watched->message, sizeof head);
  watched->message[watched->received] = 0;
  size_t values_size = watched->received - sizeof head;
  int has_values = head[0] == REPORT_VALUES && head[1] <= 6 && values_size >= head[1] * 8;
  /* An error may follow values that were sent before it. */
  size_t second = sizeof head + head[1] * 8;
  if (has_values && watched->received > second + sizeof head) {
    memcpy(head, watched->message + second, sizeof head);
    send_error(watched->seq, (int)head[1], (char *)watched->message + second + sizeof head);
  } else if (has_values) {
    uint64_t values[8] = {0};
    int count = 0;
    if (watched->cage) {
      watched->start_time = start_time_of(watched->pid);
      values[count++] = (uint64_t)watched->pid;
      values[count++] = watched->start_time;
    }
    memcpy(values + count, watched->message + sizeof head, head[1] * 8);
    send_ok(watched->seq, values, count + (int)head[1]);
  } else if (head[0] == REPORT_ERROR) {
    send_error(watched->seq, (int)head[1], (char *)watched->message + sizeof head);
  } else {
    send_error(watched->seq, EINTR, "build the cage: the child was killed");
  }
  if (!has_values || head[0] == REPORT_ERROR) watched->cage = 0; /* its exit is nobody's news */
  watched->seq = 0;
  close(watched->report);
  watched->report = -1;
}

static void on_report(struct watched *watched) {
  size_t room = sizeof watched->message - 1 - watched->received;
  ssize_t n = read(watched->report, watched->message + watched->received, room);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n > 0) {
    watched->received += (size_t)n;
    return;
  }
  answer_request(watched);
}

static void on_exit_of(struct watched *watched) {
  while (watched->report >= 0) on_report(watched);
  uint32_t status = UINT32_MAX; /* unknown: not our child */
  if (watched->own) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    if (waitid((idtype_t)P_PIDFD, (id_t)watched->pidfd, &info, WEXITED) == 0)
      status = info.si_code == CLD_EXITED ? (uint32_t)info.si_status
                                          : 128u + (uint32_t)info.si_status;
  }
  if (watched->cage) send_exit(watched->pid, watched->start_time, status);
  forget(watched);
}

static struct watched *watch_new(int pid, int pidfd, int report, int own, int cage) {
  struct watched *watched = calloc(1, sizeof *watched);
  if (!watched) die("memory");
  *watched = (struct watched){.next = all, .pid = pid, .pidfd = pidfd, .report = report,
                              .own = own, .cage = cage};
  all = watched;
  must(poll_add(watched, pidfd, 0), "epoll");
  if (report >= 0) must(poll_add(watched, report, 1), "epoll");
  return watched;
}

/* Clones a child. Returns 0 in it, with *report to write to. */
static struct watched *clone_child(uint32_t seq, uint64_t flags, int cgroup, int cage, int *report) {
  int ends[2], pidfd = -1;
  if (pipe2(ends, O_CLOEXEC) < 0) {
    send_error(seq, errno, "make a pipe");
    return NULL;
  }
  struct clone_args args;
  memset(&args, 0, sizeof args);
  args.flags = flags | CLONE_PIDFD | (cgroup >= 0 ? CLONE_INTO_CGROUP : 0);
  args.pidfd = (uint64_t)(uintptr_t)&pidfd;
  args.exit_signal = SIGCHLD;
  args.cgroup = cgroup >= 0 ? (uint64_t)cgroup : 0;
  long pid = syscall(SYS_clone3, &args, CLONE_ARGS_SIZE);
  if (pid == 0) {
    *report = ends[1];
    return NULL;
  }
  int error = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    send_error(seq, error, "clone a process");
    return NULL;
  }
  struct watched *watched = watch_new((int)pid, pidfd, ends[0], 1, cage);
  watched->seq = seq;
  return watched;
}

static void read_plan(struct reader *reader, struct plan *plan) {
  memset(plan, 0, sizeof *plan);
  plan->first_id = take_u32(reader);
  plan->shm_bytes = take_u64(reader);
  plan->id = take_string(reader);
  plan->base_image = take_string(reader);
  plan->layer_count = take_u16(reader);
  if (plan->layer_count < 1 || plan->layer_count > MAX_LAYERS) reader->bad = 1;
  for (int i = 0; !reader->bad && i < plan->layer_count; i++) plan->layers[i] = take_string(reader);
  plan->graft_count = take_u16(reader);
  if (plan->graft_count > MAX_GRAFTS) reader->bad = 1;
  for (int i = 0; !reader->bad && i < plan->graft_count; i++) {
    plan->grafts[i].target = take_string(reader);
    plan->grafts[i].source = take_string(reader);
  }
  if (strlen(plan->id) > 32 || strchr(plan->id, '/') || !*plan->id || *plan->id == '.')
    reader->bad = 1;
  if (strchr(plan->base_image, '/') || plan->first_id < IDS_PER_SANDBOX) reader->bad = 1;
}

static void start(uint32_t seq, struct reader *reader) {
  struct plan plan;
  read_plan(reader, &plan);
  if (reader->bad) {
    send_error(seq, EINVAL, "read the plan");
    return;
  }
  int cgroup = -1;
  if (host.cgroup2 >= 0) {
    cgroup = openat(host.cgroup2, plan.id, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (cgroup < 0) {
      send_error(seq, errno, "open the cgroup");
      return;
    }
  }
  plan.net_ns = net_ns_take();
  int report = -1;
  clone_child(seq, CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS, cgroup, 1, &report);
  if (report >= 0) cage_build(&plan, report);
  if (plan.net_ns >= 0) close(plan.net_ns);
  if (cgroup >= 0) close(cgroup);
}

static struct watched *find(int pid, uint64_t start_time) {
  for (struct watched *at = all; at; at = at->next)
    if (at->pid == pid && at->start_time == start_time) return at;
  return NULL;
}

/* A pidfd first and its start time second: then the pid cannot have been reused in between. */
static int open_process(int pid, uint64_t start_time) {
  int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
  if (pidfd < 0) return -1;
  if (start_time_of(pid) == start_time) return pidfd;
  close(pidfd);
  errno = ESRCH;
  return -1;
}

static void watch(uint32_t seq, struct reader *reader) {
  int pid = (int)take_u32(reader);
  uint64_t start_time = take_u64(reader);
  if (!find(pid, start_time)) {
    int pidfd = open_process(pid, start_time);
    if (pidfd < 0) {
      send_error(seq, errno, "find the process");
      return;
    }
    watch_new(pid, pidfd, -1, 0, 1)->start_time = start_time;
  }
  send_ok(seq, NULL, 0);
}

static void kill_process(uint32_t seq, struct reader *reader) {
  int pid = (int)take_u32(reader);
  uint64_t start_time = take_u64(reader);
  struct watched *known = find(pid, start_time);
  int pidfd = known ? known->pidfd : open_process(pid, start_time);
  int result = pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
  if (result < 0 && errno != ESRCH)
    send_error(seq, errno, "kill the process");
  else
    send_ok(seq, NULL, 0);
  if (!known && pidfd >= 0) close(pidfd);
}

static void measure(uint32_t seq, struct reader *reader) {
  uint32_t loop_number = take_u32(reader);
  const char *id = take_string(reader);
  if (reader->bad || strlen(id) > 32 || strchr(id, '/')) {
    send_error(seq, EINVAL, "read the request");
    return;
  }
  int report = -1;
  clone_child(seq, 0, -1, 0, &report);
  if (report < 0) return;
  report_to(report);
  image_measure(id, loop_number);
}

static void serve(const unsigned char *frame, size_t size) {
  struct reader reader = {.at = frame, .left = size};
  uint32_t seq = take_u32(&reader);
  if (reader.left < 1) exit(1);
  unsigned char op = *reader.at;
  reader.at++;
  reader.left--;
  switch (op) {
    case OP_START: start(seq, &reader); break;
    case OP_WATCH: watch(seq, &reader); break;
    case OP_KILL: kill_process(seq, &reader); break;
    case OP_MEASURE: measure(seq, &reader); break;
    default: send_error(seq, ENOSYS, "understand the request");
  }
}

static void on_requests(void) {
  ssize_t n = read(STDIN_FILENO, requests + requests_size, sizeof requests - requests_size);
  if (n < 0 && errno == EINTR) return;
  if (n <= 0) exit(0); /* the engine is gone; the cages stay */
  requests_size += (size_t)n;
  size_t at = 0;
  while (requests_size - at >= 4) {
    uint32_t size;
    memcpy(&size, requests + at, 4);
    if (size < 5 || size > MAX_FRAME) exit(1);
    if (requests_size - at < 4 + (size_t)size) break;
    serve(requests + at + 4, size);
    at += 4 + size;
  }
  memmove(requests, requests + at, requests_size - at);
  requests_size -= at;
}

static int open_folder(const char *path) {
  return must(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path);
}

/* The agent as a sealed memfd: the file that runs inside every sandbox has no name to write to. */
static int load_agent(const char *path) {
  int file = must(open(path, O_RDONLY | O_CLOEXEC), path);
  struct stat info;
  must(fstat(file, &info), path);
  unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  int memory = memfd_create("cove-agent", flags | 0x10u /* MFD_EXEC */);
  if (memory < 0) memory = must(memfd_create("cove-agent", flags), "memfd_create");
  for (off_t left = info.st_size; left > 0;) {
    ssize_t n = sendfile(memory, file, NULL, (size_t)left);
    if (n <= 0) die(path);
    left -= n;
  }
  must(fchmod(memory, 0555), "memfd");
  must(fcntl(memory, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE), "seal");
  close(file);
  return memory;
}

static int read_number(const char *path) {
  char text[32] = "";
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  return n > 0 ? atoi(text) : 0;
}

/*
 * With this option on any one v1 hierarchy, moving a process to a cgroup after a pause takes
 * 0.03 ms instead of 7 or more. The hierarchy has no controller and stays unattached.
 */
static void favor_moves(void) {
  int fs = (int)syscall(SYS_fsopen, "cgroup", FSOPEN_CLOEXEC);
  if (fs < 0) return;
  if (syscall(SYS_fsconfig, fs, FSCONFIG_SET_FLAG, "none", NULL, 0) == 0 &&
      syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "name", "cove-favor", 0) == 0 &&
      syscall(SYS_fsconfig, fs, FSCONFIG_SET_FLAG, "favordynmods", NULL, 0) == 0 &&
      syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
    host.favor = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
  close(fs);
}

/*
 * An own mount namespace with one tmpfs: copying it for a cage costs little, whatever the host
 * has mounted, and nothing of the host can be left over in a cage. The folders are where children
 * attach what they put together.
 */
static void leave_host_mounts(const char *some_folder) {
  must(unshare(CLONE_NEWNS), "unshare the mount namespace");
  must(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "make mounts private");
  must(mount("cove", some_folder, "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=0700,size=1m"), "tmpfs");
  must(chdir(some_folder), some_folder);
  must((int)syscall(SYS_pivot_root, ".", "."), "pivot_root");
  must(umount2(".", MNT_DETACH), "leave the old root");
  must(chdir("/"), "/");
  static const char *const folders[] = {"root", "writable", "small", "graft", "grafted"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    must(mkdir(folders[i], 0755), folders[i]);
  for (int i = 0; i < MAX_LAYERS; i++) {
    char name[8];
    snprintf(name, sizeof name, "l%d", i);
    must(mkdir(name, 0755), name);
  }
}

static void prepare(int argc, char **argv) {
  static const struct option options[] = {
      {"sandboxes", 1, 0, 's'}, {"base-images", 1, 0, 'b'}, {"sockets", 1, 0, 'u'},
      {"agent", 1, 0, 'a'},     {"cgroup", 1, 0, 'c'},      {"cgroup2", 1, 0, 'C'},
      {"net-pool", 1, 0, 'n'},  {"favor-moves", 0, 0, 'f'}, {0, 0, 0, 0}};
  const char *sandboxes = NULL, *base_images = NULL, *sockets = NULL, *agent = NULL;
  int favor = 0, option;
  while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
    switch (option) {
      case 's': sandboxes = optarg; break;
      case 'b': base_images = optarg; break;
      case 'u': sockets = optarg; break;
      case 'a': agent = optarg; break;
      case 'n': net_ns_pool_size(atoi(optarg)); break;
      case 'f': favor = 1; break;
      case 'C': host.cgroup2 = open_folder(optarg); break;
      case 'c':
        if (host.cgroup_count == MAX_CGROUPS) exit(2);
        host.cgroups[host.cgroup_count++] = open_folder(optarg);
        break;
      default: exit(2);
    }
  }
  if (!sandboxes || !base_images || !sockets || !agent) exit(2);
  host.proc = open_folder("/proc");
  host.mount_ns = must(open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC), "mount namespace");
  host.net_ns = must(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), "network namespace");
  host.sandboxes = open_folder(sandboxes);
  host.base_images = open_folder(base_images);
  host.sockets = open_folder(sockets);
  host.agent = load_agent(agent);
  int max_partitions = read_number("/sys/module/loop/parameters/max_part");
  leave_host_mounts(sandboxes);
  host.own_mount_ns = must(openat(host.proc, "self/ns/mnt", O_RDONLY | O_CLOEXEC), "own mounts");
  loop_control_prepare(max_partitions);
  if (favor) favor_moves();
  seccomp_prepare();
}

int main(int argc, char **argv) {
  umask(0);
  setsid(); /* Ctrl-C at the server's terminal must not reach the cages */
  signal(SIGPIPE, SIG_IGN);
  int reserved = open("/dev/null", O_RDONLY | O_CLOEXEC); /* descriptor 3 is the agent's socket */
  if (reserved != 3) {
    must(dup2(reserved, 3), "descriptor 3");
    if (reserved != 3) close(reserved);
    must(fcntl(3, F_SETFD, FD_CLOEXEC), "descriptor 3");
  }
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  prepare(argc, argv);
  signal(SIGPIPE, SIG_DFL);
  epoll_fd = must(epoll_create1(EPOLL_CLOEXEC), "epoll");
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = 0};
  must(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, STDIN_FILENO, &event), "epoll");
  send_hello((host.favor >= 0 ? FACT_FAVORDYNMODS : 0) | (loop_usable() ? FACT_LOOP_DEVICES : 0));
  int idle_work = 1;
  for (;;) {
    /* One event at a time: handling one may free what another points to. */
    int n = epoll_wait(epoll_fd, &event, 1, idle_work ? 0 : -1);
    if (n < 0 && errno != EINTR) die("epoll_wait");
    if (n == 0) idle_work = net_ns_refill();
    if (n <= 0) continue;
    struct watched *watched = (struct watched *)(uintptr_t)(event.data.u64 & ~(uint64_t)1);
    if (!watched)
      on_requests();
    else if (event.data.u64 & 1)
      on_report(watched);
    else
      on_exit_of(watched);
    idle_work = 1;
  }
}
