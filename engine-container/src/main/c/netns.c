/*
 * Network namespaces with nothing but a loopback. Making one costs about 0.5 ms, so a few wait
 * ready; one that a sandbox had is never used again.
 */
#define _GNU_SOURCE
#include "spawner.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_POOL 256
static int pool[MAX_POOL];
static int pool_count;
static int pool_target;

void net_ns_pool_size(int size) {
  pool_target = size < 0 ? 0 : size > MAX_POOL ? MAX_POOL : size;
}

static int write_all(int dir, const char *name, const char *text) {
  int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t n = write(fd, text, strlen(text));
  close(fd);
  return n == (ssize_t)strlen(text) ? 0 : -1;
}

/*
 * Root of a sandbox does not own its network namespace, so its NET_BIND_SERVICE has no effect
 * there; opening the low ports to everybody in the namespace replaces it.
 */
static int furnish(int proc) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  struct ifreq request;
  memset(&request, 0, sizeof request);
  memcpy(request.ifr_name, "lo", 3);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  int result = ioctl(fd, SIOCSIFFLAGS, &request);
  close(fd);
  if (result < 0) return -1;
  return write_all(proc, "sys/net/ipv4/ip_unprivileged_port_start", "0");
}

void net_ns_furnish(int proc) { check(furnish(proc)); }

int net_ns_refill(void) {
  if (pool_count >= pool_target) return 0;
  if (unshare(CLONE_NEWNET) < 0) return 0;
  int made = -1;
  if (furnish(host.proc) == 0) made = openat(host.proc, "self/ns/net", O_RDONLY | O_CLOEXEC);
  if (setns(host.net_ns, CLONE_NEWNET) < 0) _exit(1); /* lost in a foreign namespace: start anew */
  if (made < 0) return 0;
  pool[pool_count++] = made;
  return 1;
}

int net_ns_pool_is_low(void) { return pool_count < (pool_target + 3) / 4; }

int net_ns_take(void) { return pool_count > 0 ? pool[--pool_count] : -1; }
