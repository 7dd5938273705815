/* The last steps before the agent: what it and all its children will never have. */
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LISTEN_FD 3
#define CAP_SYS_RESOURCE_BIT 24

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

static void limit(int resource, rlim_t soft, rlim_t hard) {
  struct rlimit now;
  check(getrlimit(resource, &now));
  struct rlimit wanted = {.rlim_max = hard < now.rlim_max ? hard : now.rlim_max};
  wanted.rlim_cur = soft < wanted.rlim_max ? soft : wanted.rlim_max;
  check(setrlimit(resource, &wanted)); /* only ever lowered: the host may lack SYS_RESOURCE */
}

void resource_limits(void) {
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

void agent_start(int socket) {
  umask(022);
  resource_limits();
  drop_capabilities();
  exec_agent(socket);
}
