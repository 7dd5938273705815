/*
 * One child, from the clone to the agent. The order matters: everything is built as the host's
 * root in namespaces that belong to the host; the user namespace is joined last, so the sandbox's
 * root owns its ids and nothing else.
 */
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/mount.h>
#include <linux/securebits.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define LISTEN_FD 3
#define CAP_SYS_RESOURCE_BIT 24

const char *step = "start";
const char *step_name;
static int report_fd = -1;

void report_to(int fd) { report_fd = fd; }

void child_fail(int error) {
  unsigned char message[8 + 512];
  uint32_t head[2] = {REPORT_ERROR, (uint32_t)error};
  memcpy(message, head, sizeof head);
  int length = snprintf((char *)message + 8, 512, step_name ? "%s %s" : "%s", step, step_name);
  if (length > 511) length = 511;
  ssize_t ignored = write(report_fd, message, 8 + (size_t)length);
  (void)ignored;
  _exit(111);
}

int check(int result) {
  if (result < 0) child_fail(errno);
  return result;
}

void report_values(const uint64_t *values, int count) {
  unsigned char message[8 + 8 * 8];
  uint32_t head[2] = {REPORT_VALUES, (uint32_t)count};
  memcpy(message, head, sizeof head);
  if (count > 0) memcpy(message + 8, values, sizeof(uint64_t) * (size_t)count);
  size_t size = 8 + sizeof(uint64_t) * (size_t)count;
  check(write(report_fd, message, size) == (ssize_t)size ? 0 : -1);
}

void report_end(void) {
  close(report_fd);
  report_fd = -1;
}

/* A mount that outlives the child: the descriptor travels with the message. */
void report_mount(uint64_t value, int mount) {
  unsigned char message[16];
  uint32_t head[2] = {REPORT_VALUES, 1};
  memcpy(message, head, sizeof head);
  memcpy(message + 8, &value, sizeof value);
  struct iovec data = {message, sizeof message};
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control;
  struct msghdr packet = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control,
                          .msg_controllen = sizeof control};
  struct cmsghdr *rights = CMSG_FIRSTHDR(&packet);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(rights), &mount, sizeof(int));
  check(sendmsg(report_fd, &packet, MSG_NOSIGNAL) == sizeof message ? 0 : -1);
}

static void join_cgroups(const char *id) {
  step = "join the cgroup";
  char name[64];
  snprintf(name, sizeof name, "%s/cgroup.procs", id);
  for (int i = 0; i < host.cgroup_count; i++) {
    int fd = check(openat(host.cgroups[i], name, O_WRONLY | O_CLOEXEC));
    check(write(fd, "0", 1) == 1 ? 0 : -1);
    close(fd);
  }
}

/*
 * We are spared when memory runs out; what is inside is not. Written while we have SYS_RESOURCE, it
 * is also the lowest that anybody inside can choose. Commands are above it, so the agent outlives
 * them.
 */
static void be_killed_before_the_host(void) {
  step = "set the score for when memory runs out";
  int fd = check(openat(host.proc, "self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  check(write(fd, "250", 3) == 3 ? 0 : -1);
  close(fd);
}

static void join_network(int pooled) {
  step = "enter the network namespace";
  if (pooled >= 0) {
    check(setns(pooled, CLONE_NEWNET));
    return;
  }
  check(unshare(CLONE_NEWNET));
  net_ns_furnish(host.proc);
}

static int listen_for_the_node(const char *id) {
  step = "bind the agent's socket";
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s.sock", id);
  int fd = check(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  check(fchdir(host.sockets));
  umask(0177);
  check(bind(fd, (struct sockaddr *)&address, sizeof address));
  umask(0);
  check(listen(fd, 16));
  return fd;
}

/* Without it, ext4 lets the overlay dip into reserved space on the sandbox's behalf. */
static void drop_sys_resource(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  check((int)syscall(SYS_capget, &header, data));
  data[0].effective &= ~(1u << CAP_SYS_RESOURCE_BIT);
  check((int)syscall(SYS_capset, &header, data));
}

void take_overlay_rights(void) {
  drop_sys_resource();
  step = "keep capabilities over a change of ids";
  check(prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0));
}

static void become_root_inside(int user_ns) {
  step = "leave the host's cgroup view";
  check(unshare(CLONE_NEWCGROUP));
  step = "enter the user namespace";
  check(setns(user_ns, CLONE_NEWUSER));
  check(setgroups(0, NULL));
  check(setresgid(0, 0, 0));
  check(setresuid(0, 0, 0));
  step = "join a session keyring";
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS)
    child_fail(errno);
}

static void limit(int resource, rlim_t soft, rlim_t hard) {
  struct rlimit now;
  check(getrlimit(resource, &now));
  struct rlimit wanted = {.rlim_max = hard < now.rlim_max ? hard : now.rlim_max};
  wanted.rlim_cur = soft < wanted.rlim_max ? soft : wanted.rlim_max;
  check(setrlimit(resource, &wanted)); /* only ever lowered: the host may lack SYS_RESOURCE */
}

static void limits(void) {
  step = "set resource limits";
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_NOFILE, 4096, 65536);
  limit(RLIMIT_MEMLOCK, 8 << 20, 8 << 20);
  limit(RLIMIT_MSGQUEUE, 819200, 819200);
  limit(RLIMIT_NICE, 0, 0);
  limit(RLIMIT_RTPRIO, 0, 0);
}

static void drop_capabilities(void) {
  step = "drop capabilities";
  for (int cap = 0; cap < 64; cap++) {
    if (AGENT_CAPS >> cap & 1) continue;
    if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0) {
      if (errno == EINVAL) break; /* past the last one this kernel knows */
      child_fail(errno);
    }
  }
  check(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0));
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2] = {
      {.effective = (uint32_t)AGENT_CAPS, .permitted = (uint32_t)AGENT_CAPS}};
  check((int)syscall(SYS_capset, &header, data));
}

static void standard_streams(void) {
  step = "open /dev/null";
  int null = check(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (int fd = 0; fd <= 2; fd++) check(dup2(null, fd));
}

__attribute__((noreturn)) static void exec_agent(int socket) {
  standard_streams();
  step = "close descriptors";
  if (socket == LISTEN_FD)
    check(fcntl(socket, F_SETFD, 0));
  else
    check(dup2(socket, LISTEN_FD));
  check((int)syscall(SYS_close_range, LISTEN_FD + 1, ~0u, 4 /* CLOSE_RANGE_CLOEXEC */));
  step = "set no_new_privs";
  check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  step = "install the system call filter";
  check(seccomp_install());
  step = "start the agent";
  char caps[32], listen_fd[8];
  snprintf(caps, sizeof caps, "%llx", ROOT_CAPS);
  snprintf(listen_fd, sizeof listen_fd, "%d", LISTEN_FD);
  char *argv[] = {"cove-agent", "--listen-fd", listen_fd, "--caps", caps, "--asks", "on", NULL};
  char *envp[] = {NULL};
  check((int)syscall(SYS_execveat, host.agent, "", argv, envp, AT_EMPTY_PATH));
  child_fail(EINVAL);
}

void cage_build(const struct plan *plan) {
  setsid();
  join_cgroups(plan->id);
  be_killed_before_the_host();
  join_network(plan->net_ns);
  step = "set the host name";
  check(sethostname(plan->id, strlen(plan->id)));
  check(setdomainname("", 0));
  int socket = listen_for_the_node(plan->id);
  if (socket <= 2) child_fail(EBADF);

  uint32_t loop_number = plan->spare >= 0 ? plan->spare_loop : UINT32_MAX;
  int image = plan->spare;
  if (image < 0 && *plan->base_image)
    image = plan->again ? image_attach_again(plan, &loop_number) : image_attach(plan, &loop_number);
  struct trees trees;
  trees_open(plan, &trees);
  int writable = image >= 0 ? image : trees.writable;
  step = "mount /proc";
  static const char *const options[] = {"source", "proc", NULL};
  int proc = check(mount_detached("proc", options,
                                  MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
  int user_ns = user_ns_create(proc, plan->first_id);
  take_overlay_rights();
  root_build(plan, &trees, writable, proc, user_ns);
  uint64_t values[] = {loop_number};
  report_values(values, 1);

  become_root_inside(user_ns);
  umask(022);
  limits();
  drop_capabilities();
  exec_agent(socket);
}

