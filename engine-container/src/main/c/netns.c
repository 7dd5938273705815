/*
 * Network namespaces with nothing but a loopback, in which every address is the namespace's own: a
 * packet for anywhere in the world comes back in, and leads to a socket that Cove holds there or to
 * a refusal. No path leads out. Making one costs about 0.6 ms, so a few wait ready; one that a
 * sandbox had is never used again.
 */
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_POOL 256
#define LOOPBACK 1 /* the index of lo is always this */

/* What programs see as their own. */
static const unsigned char own_address[] = {198, 19, 255, 254};
static const unsigned char own_address_6[] = {0xfd, 0x63, 0x6f, 0x76, 0, 0x65, 0, 0,
                                              0,    0,    0,    0,    0, 0,    0, 1};
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

struct request {
  struct nlmsghdr head;
  union {
    struct ifaddrmsg address;
    struct rtmsg route;
  } body;
  char attributes[64];
};

static void add_attribute(struct request *request, unsigned short type, const void *data,
                          size_t size) {
  struct rtattr *attribute = (struct rtattr *)((char *)request + NLMSG_ALIGN(request->head.nlmsg_len));
  attribute->rta_type = type;
  attribute->rta_len = (unsigned short)RTA_LENGTH(size);
  memcpy(RTA_DATA(attribute), data, size);
  request->head.nlmsg_len = NLMSG_ALIGN(request->head.nlmsg_len) + RTA_ALIGN(attribute->rta_len);
}

static int ask_kernel(int netlink, const struct request *request) {
  struct {
    struct nlmsghdr head;
    struct nlmsgerr error;
    char rest[256];
  } answer;
  if (send(netlink, request, request->head.nlmsg_len, 0) < 0) return -1;
  if (recv(netlink, &answer, sizeof answer, 0) < (ssize_t)NLMSG_LENGTH(sizeof answer.error))
    return -1;
  if (answer.head.nlmsg_type != NLMSG_ERROR) return -1;
  errno = -answer.error.error;
  return answer.error.error == 0 ? 0 : -1;
}

static struct request request_of(unsigned short type, size_t body) {
  struct request request;
  memset(&request, 0, sizeof request);
  request.head.nlmsg_len = (unsigned)NLMSG_LENGTH(body);
  request.head.nlmsg_type = type;
  request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL;
  return request;
}

static int add_address(int netlink, unsigned char family, const void *address, size_t size) {
  struct request request = request_of(RTM_NEWADDR, sizeof request.body.address);
  request.body.address.ifa_family = family;
  request.body.address.ifa_prefixlen = (unsigned char)(size * 8);
  request.body.address.ifa_flags = IFA_F_NODAD; /* or it could not be a route's source yet */
  request.body.address.ifa_index = LOOPBACK;
  add_attribute(&request, IFA_LOCAL, address, size);
  add_attribute(&request, IFA_ADDRESS, address, size);
  return ask_kernel(netlink, &request);
}

/* Every address is ours. */
static int add_route(int netlink, unsigned char family, const void *source, size_t size) {
  struct request request = request_of(RTM_NEWROUTE, sizeof request.body.route);
  request.body.route.rtm_family = family;
  request.body.route.rtm_table = RT_TABLE_LOCAL;
  request.body.route.rtm_protocol = RTPROT_BOOT;
  request.body.route.rtm_scope = family == AF_INET ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE;
  request.body.route.rtm_type = RTN_LOCAL;
  unsigned loopback = LOOPBACK;
  add_attribute(&request, RTA_OIF, &loopback, sizeof loopback);
  add_attribute(&request, RTA_PREFSRC, source, size);
  return ask_kernel(netlink, &request);
}

static int swallow_everything(void) {
  int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (netlink < 0) return -1;
  int result = add_address(netlink, AF_INET, own_address, sizeof own_address);
  if (result == 0) result = add_route(netlink, AF_INET, own_address, sizeof own_address);
  /* Where the host's kernel has no IPv6, a sandbox has none either. */
  if (result == 0 && add_address(netlink, AF_INET6, own_address_6, sizeof own_address_6) == 0)
    result = add_route(netlink, AF_INET6, own_address_6, sizeof own_address_6);
  close(netlink);
  return result;
}

static int start_loopback(void) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  struct ifreq request;
  memset(&request, 0, sizeof request);
  memcpy(request.ifr_name, "lo", 3);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  int result = ioctl(fd, SIOCSIFFLAGS, &request);
  close(fd);
  return result;
}

/*
 * Root of a sandbox does not own its network namespace, so its NET_BIND_SERVICE has no effect
 * there; opening the low ports to everybody in the namespace replaces it.
 */
static int furnish(int proc) {
  if (start_loopback() < 0 || swallow_everything() < 0) return -1;
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
