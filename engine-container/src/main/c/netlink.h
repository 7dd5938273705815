/* Interfaces, addresses, routes and neighbours, by rtnetlink. */
#ifndef COVE_NETLINK_H
#define COVE_NETLINK_H

#include <stddef.h>

#define LOOPBACK 1 /* the index of lo is always this */

/* An address of either family: 4 bytes or 16. */
struct address {
  unsigned char family, size;
  unsigned char bytes[16];
};

#define ADDRESS_4(a, b, c, d) {2 /* AF_INET */, 4, {a, b, c, d}}
#define ADDRESS_6(last) {10 /* AF_INET6 */, 16, {0xfd, 'c', 'o', 'v', 0, 'e', 0, 0, 0, 0, 0, 0, 0, 0, 0, last}}

/*
 * What a machine's own kernel and the namespace around it call themselves, and the ends of the wire
 * between them. No neighbour is ever looked for: both sides are told.
 */
extern const struct address inside_4, inside_6, outside_4, outside_6;
extern const unsigned char inside_wire[6], outside_wire[6];

int netlink_open(void);
int netlink_address(int netlink, int interface, const struct address *address);
/* To an address or, with NULL, to everywhere, which the namespace then takes for its own. */
int netlink_all_is_ours(int netlink, const struct address *source);
int netlink_route(int netlink, int interface, const struct address *to, unsigned char bits,
                  const struct address *via, unsigned char table);
int netlink_forget_loopback(int netlink);
int netlink_neighbour(int netlink, int interface, const struct address *address,
                      const unsigned char *wire);
int interface_up(const char *name);
int interface_wire(const char *name, const unsigned char *wire);

#endif
