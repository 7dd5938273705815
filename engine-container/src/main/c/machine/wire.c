/* The one network interface: everything that is not here is at the other end of it. */
#define _GNU_SOURCE
#include "../netlink.h"
#include "machine.h"

#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#define INTERFACE "eth0"

static void write_setting(const char *path, const char *text) {
  int fd = check(open(path, O_WRONLY | O_CLOEXEC));
  check(write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1);
  close(fd);
}

static void one_family(int netlink, int interface, const struct address *own,
                       const struct address *gateway) {
  check(netlink_address(netlink, interface, own));
  check(netlink_neighbour(netlink, interface, gateway, outside_wire));
  check(netlink_route(netlink, interface, gateway, 0, gateway, RT_TABLE_MAIN));
}

/* The host comes to loopback addresses of the sandbox over the wire, which the kernel must allow. */
void wire_up(void) {
  step = "set up the network";
  write_setting("/proc/sys/net/ipv6/conf/all/accept_ra", "0");
  write_setting("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0");
  check(interface_up("lo"));
  int interface = (int)if_nametoindex(INTERFACE);
  if (interface == 0) return; /* a machine without one */
  write_setting("/proc/sys/net/ipv4/conf/" INTERFACE "/route_localnet", "1");
  write_setting("/proc/sys/net/ipv6/conf/" INTERFACE "/addr_gen_mode", "1");
  check(interface_up(INTERFACE));
  int netlink = check(netlink_open());
  one_family(netlink, interface, &inside_4, &outside_4);
  one_family(netlink, interface, &inside_6, &outside_6);
  close(netlink);
}
