/*
 * Network namespaces with nothing but a loopback, in which every address is the namespace's own: a
 * packet for anywhere in the world comes back in, and leads to a socket that Cove holds there or to
 * a refusal. No path leads out. Making one costs about 0.6 ms, so a few wait ready; one that a
 * sandbox had is never used again.
 */
#define _GNU_SOURCE
#include "netlink.h"
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
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

static int swallow_everything(void) {
  int netlink = netlink_open();
  if (netlink < 0) return -1;
  int result = netlink_address(netlink, LOOPBACK, &inside_4);
  if (result == 0) result = netlink_all_is_ours(netlink, &inside_4);
  /* Where the host's kernel has no IPv6, a sandbox has none either. */
  if (result == 0 && netlink_address(netlink, LOOPBACK, &inside_6) == 0)
    result = netlink_all_is_ours(netlink, &inside_6);
  close(netlink);
  return result;
}

/*
 * Root of a sandbox does not own its network namespace, so its NET_BIND_SERVICE has no effect
 * there; opening the low ports to everybody in the namespace replaces it.
 */
static int furnish(int proc) {
  if (interface_up("lo") < 0 || swallow_everything() < 0) return -1;
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
