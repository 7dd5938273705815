#define _GNU_SOURCE
#include "netlink.h"

#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

const struct address inside_4 = ADDRESS_4(198, 19, 255, 254), inside_6 = ADDRESS_6(1);
const struct address outside_4 = ADDRESS_4(198, 19, 255, 253), outside_6 = ADDRESS_6(2);
const unsigned char inside_wire[6] = {2, 'c', 'o', 'v', 'e', 1};
const unsigned char outside_wire[6] = {2, 'c', 'o', 'v', 'e', 2};

struct request {
  struct nlmsghdr head;
  union {
    struct ifaddrmsg address;
    struct rtmsg route;
    struct ndmsg neighbour;
  } body;
  char attributes[128];
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
  request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  if (type != RTM_DELROUTE) request.head.nlmsg_flags |= NLM_F_CREATE | NLM_F_EXCL;
  return request;
}

int netlink_open(void) { return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE); }

int netlink_address(int netlink, int interface, const struct address *address) {
  struct request request = request_of(RTM_NEWADDR, sizeof request.body.address);
  request.body.address.ifa_family = address->family;
  request.body.address.ifa_prefixlen = (unsigned char)(address->size * 8);
  request.body.address.ifa_flags = IFA_F_NODAD; /* or it could not be a route's source yet */
  request.body.address.ifa_index = (unsigned)interface;
  add_attribute(&request, IFA_LOCAL, address->bytes, address->size);
  add_attribute(&request, IFA_ADDRESS, address->bytes, address->size);
  return ask_kernel(netlink, &request);
}

int netlink_all_is_ours(int netlink, const struct address *source) {
  struct request request = request_of(RTM_NEWROUTE, sizeof request.body.route);
  request.body.route.rtm_family = source->family;
  request.body.route.rtm_table = RT_TABLE_LOCAL;
  request.body.route.rtm_protocol = RTPROT_BOOT;
  request.body.route.rtm_scope = source->family == AF_INET ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE;
  request.body.route.rtm_type = RTN_LOCAL;
  unsigned loopback = LOOPBACK;
  add_attribute(&request, RTA_OIF, &loopback, sizeof loopback);
  add_attribute(&request, RTA_PREFSRC, source->bytes, source->size);
  return ask_kernel(netlink, &request);
}

int netlink_route(int netlink, int interface, const struct address *to, unsigned char bits,
                  const struct address *via, unsigned char table) {
  struct request request = request_of(RTM_NEWROUTE, sizeof request.body.route);
  request.body.route.rtm_family = to->family;
  request.body.route.rtm_dst_len = bits;
  request.body.route.rtm_table = table;
  request.body.route.rtm_protocol = RTPROT_BOOT;
  request.body.route.rtm_scope = via ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK;
  request.body.route.rtm_type = RTN_UNICAST;
  if (via) request.body.route.rtm_flags = RTNH_F_ONLINK;
  add_attribute(&request, RTA_OIF, &interface, sizeof interface);
  if (bits > 0) add_attribute(&request, RTA_DST, to->bytes, to->size);
  if (via) add_attribute(&request, RTA_GATEWAY, via->bytes, via->size);
  return ask_kernel(netlink, &request);
}

static int forget(int netlink, const unsigned char *to, unsigned char bits) {
  struct request request = request_of(RTM_DELROUTE, sizeof request.body.route);
  request.body.route.rtm_family = AF_INET;
  request.body.route.rtm_dst_len = bits;
  request.body.route.rtm_table = RT_TABLE_LOCAL;
  request.body.route.rtm_scope = RT_SCOPE_NOWHERE;
  add_attribute(&request, RTA_DST, to, 4);
  return ask_kernel(netlink, &request);
}

/* What the kernel gave lo when it came up: 127.0.0.0/8 is somewhere else from now on. */
int netlink_forget_loopback(int netlink) {
  static const unsigned char net[] = {127, 0, 0, 0}, host[] = {127, 0, 0, 1};
  return forget(netlink, host, 32) < 0 || forget(netlink, net, 8) < 0 ? -1 : 0;
}

int netlink_neighbour(int netlink, int interface, const struct address *address,
                      const unsigned char *wire) {
  struct request request = request_of(RTM_NEWNEIGH, sizeof request.body.neighbour);
  request.body.neighbour.ndm_family = address->family;
  request.body.neighbour.ndm_ifindex = interface;
  request.body.neighbour.ndm_state = NUD_PERMANENT;
  add_attribute(&request, NDA_DST, address->bytes, address->size);
  add_attribute(&request, NDA_LLADDR, wire, 6);
  return ask_kernel(netlink, &request);
}

static int interface_ask(const char *name, unsigned long what, struct ifreq *request) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  strncpy(request->ifr_name, name, IFNAMSIZ - 1);
  int result = ioctl(fd, what, request);
  int error = errno;
  close(fd);
  errno = error;
  return result;
}

int interface_up(const char *name) {
  struct ifreq request;
  memset(&request, 0, sizeof request);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  return interface_ask(name, SIOCSIFFLAGS, &request);
}

int interface_wire(const char *name, const unsigned char *wire) {
  struct ifreq request;
  memset(&request, 0, sizeof request);
  request.ifr_hwaddr.sa_family = ARPHRD_ETHER;
  memcpy(request.ifr_hwaddr.sa_data, wire, 6);
  return interface_ask(name, SIOCSIFHWADDR, &request);
}
