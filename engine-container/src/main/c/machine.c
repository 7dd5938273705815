/*
 * One child, from the clone to QEMU: a machine whose first program is machine/init.c. Whoever breaks
 * out of the machine finds a process with an id of its own that owns nothing, in namespaces of its
 * own, with no capability, behind QEMU's filter, and a root of read-only files that QEMU is made of.
 * Disks, sockets and the wire are descriptors; no path leads to them.
 */
#define _GNU_SOURCE
#include "machine.h"

#include "netlink.h"
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/if_tun.h>
#include <linux/mount.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TAP "tap0"

/* What QEMU finds at which number; disks follow. Machines.java knows them too. */
enum { LINK_FD = 3, CONTROL_FD = 4, TAP_FD = 5, MEMORY_FD = 6, STATE_FD = 7, MONITOR_FD = 8,
       FIRST_DISK_FD = 9 };

#define CLEAR (FIRST_DISK_FD + MAX_DISKS)

/* Descriptors that are opened on the way stay clear of the numbers that they will have. */
static int out_of_the_way(int fd) {
  int moved = check(fcntl(check(fd), F_DUPFD_CLOEXEC, CLEAR));
  close(fd);
  return moved;
}

/* Memory of machines that wait to be gone on with, each sealed against any change. */
static struct {
  char name[40];
  int fd;
} memories[MAX_MEMORIES];

static int memory_slot(const char *name) {
  for (int i = 0; i < MAX_MEMORIES; i++)
    if (strcmp(memories[i].name, name) == 0) return i;
  return -1;
}

int memory_find(const char *name) {
  int slot = memory_slot(name);
  return slot >= 0 && memories[slot].fd > 0 ? memories[slot].fd : -1;
}

int memory_reserve(const char *name) {
  int slot = memory_slot(name);
  if (slot < 0) slot = memory_slot("");
  if (slot >= 0) strcpy(memories[slot].name, name);
  return slot;
}

void memory_forget(const char *name) {
  int slot = memory_slot(name);
  if (slot < 0) return;
  if (memories[slot].fd > 0) close(memories[slot].fd);
  memories[slot].fd = 0;
  memories[slot].name[0] = 0;
}

void memory_arrived(int slot, int fd) {
  if (memories[slot].fd > 0) close(memories[slot].fd);
  memories[slot].fd = fd;
}

/*
 * QEMU wants to open the memory for writing even if it maps it for itself alone. A file could then
 * be changed under all machines that share it; a sealed one cannot.
 */
void memory_load(int slot, const char *path) {
  step = "open the machine's memory", step_name = path;
  check(setns(host.mount_ns, CLONE_NEWNS));
  int file = check(open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  int memory = check(memfd_create("cove-machine", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  step = "copy the machine's memory";
  copy_sparse(file, memory);
  check(fchmod(memory, 0666));
  check(fcntl(memory, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE));
  report_mount((uint64_t)slot, memory);
  _exit(0);
}

static void write_setting(const char *name, const char *text) {
  int fd = check(openat(host.proc, name, O_WRONLY | O_CLOEXEC));
  check(write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1);
  close(fd);
}

/* The device belongs to the namespace in which the file was opened. */
static int tap_open(void) {
  int tun = out_of_the_way(open("/dev/net/tun", O_RDWR | O_CLOEXEC));
  struct ifreq request;
  memset(&request, 0, sizeof request);
  request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
  strcpy(request.ifr_name, TAP);
  check(ioctl(tun, TUNSETIFF, &request));
  check(interface_wire(TAP, outside_wire));
  return tun;
}

/*
 * The same dead end as around every sandbox, with the machine at the end of a wire in it. Loopback
 * addresses lead into the machine, so that whoever visits its ports from the namespace arrives there.
 */
static int network_build(void) {
  step = "make the network namespace";
  check(unshare(CLONE_NEWNET));
  check(interface_up("lo"));
  int tap = tap_open();
  write_setting("sys/net/ipv4/conf/" TAP "/route_localnet", "1");
  write_setting("sys/net/ipv4/conf/all/rp_filter", "0");
  write_setting("sys/net/ipv4/conf/" TAP "/rp_filter", "0");
  check(interface_up(TAP));
  int wire = (int)if_nametoindex(TAP);
  static const struct address loopback = ADDRESS_4(127, 0, 0, 0);
  int netlink = check(netlink_open());
  check(netlink_address(netlink, LOOPBACK, &outside_4));
  check(netlink_all_is_ours(netlink, &outside_4));
  check(netlink_neighbour(netlink, wire, &inside_4, inside_wire));
  check(netlink_route(netlink, wire, &inside_4, 32, NULL, RT_TABLE_LOCAL));
  check(netlink_forget_loopback(netlink));
  check(netlink_route(netlink, wire, &loopback, 8, &inside_4, RT_TABLE_LOCAL));
  if (netlink_address(netlink, LOOPBACK, &outside_6) == 0) {
    check(netlink_all_is_ours(netlink, &outside_6));
    check(netlink_neighbour(netlink, wire, &inside_6, inside_wire));
    check(netlink_route(netlink, wire, &inside_6, 128, NULL, RT_TABLE_LOCAL));
  }
  close(netlink);
  return tap;
}

struct parts {
  int trees[MAX_PARTS];
  int disks[MAX_DISKS];
  int state, tap;
};

static void parts_open(const struct machine *machine, struct parts *parts) {
  step = "enter the host's mount namespace";
  check(setns(host.mount_ns, CLONE_NEWNS));
  for (int i = 0; i < machine->part_count; i++) {
    step = "open a part of QEMU", step_name = machine->parts[i];
    parts->trees[i] = out_of_the_way(open_tree_at(AT_FDCWD, machine->parts[i], OPEN_TREE_CLONE));
  }
  for (int i = 0; i < machine->disk_count; i++) {
    step = "open a disk", step_name = machine->disks[i].path;
    int mode = machine->disks[i].read_only ? O_RDONLY : O_RDWR;
    parts->disks[i] = out_of_the_way(open(machine->disks[i].path, mode | O_NOFOLLOW | O_CLOEXEC));
  }
  step = "open the machine's state", step_name = machine->state;
  parts->state = out_of_the_way(open(machine->state, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  step_name = NULL;
  parts->tap = network_build();
}

/* A place for a folder, a file or a device, below the present folder. */
static int place_for(int tree, const char *path) {
  struct stat info;
  check(fstat(tree, &info));
  char parent[512];
  if (strlen(path) >= sizeof parent) child_fail(ENAMETOOLONG);
  strcpy(parent, path);
  char *name = strrchr(parent, '/');
  int here = check(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (name && !S_ISDIR(info.st_mode)) *name++ = 0;
  int folder = walk(here, parent);
  close(here);
  if (S_ISDIR(info.st_mode)) return folder;
  int file = check(openat(folder, name ? name : "", O_CREAT | O_EXCL | O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0444));
  close(folder);
  return file;
}

static void jail_build(const struct machine *machine, struct parts *parts) {
  step = "build the jail";
  check(setns(host.own_mount_ns, CLONE_NEWNS));
  check(unshare(CLONE_NEWNS));
  check(mount("cove", "/root", "tmpfs", MS_NOSUID | MS_NOEXEC | MS_NODEV, "mode=0755,size=64k"));
  check(chdir("/root"));
  for (int i = 0; i < machine->part_count; i++) {
    step_name = machine->parts[i];
    check(mount_read_only(parts->trees[i]));
    int place = place_for(parts->trees[i], machine->parts[i]);
    check(move_mount_to(parts->trees[i], place));
    close(place);
  }
  step_name = NULL;
  check(symlink("usr/lib", "lib"));
  check(symlink("usr/lib64", "lib64"));
  check(mkdir("proc", 0555));
  check(mount("proc", "proc", "proc", MS_NOSUID | MS_NOEXEC | MS_NODEV, "subset=pid"));
  check(mount(NULL, ".", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NOEXEC | MS_NODEV,
              NULL));
  check((int)syscall(SYS_pivot_root, ".", "."));
  check(umount2(".", MNT_DETACH));
  check(chdir("/"));
}

static void place(int fd, int number) {
  check(dup2(fd, number));
}

static void lay_out(const struct machine *machine, const struct parts *parts, int link,
                    int control, int monitor) {
  step = "lay out descriptors";
  int nothing = check(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (int fd = 0; fd <= 2; fd++) place(nothing, fd);
  place(link, LINK_FD);
  place(control, CONTROL_FD);
  place(monitor, MONITOR_FD);
  place(parts->tap, TAP_FD);
  place(machine->memory, MEMORY_FD);
  place(parts->state, STATE_FD);
  for (int i = 0; i < machine->disk_count; i++) place(parts->disks[i], FIRST_DISK_FD + i);
  unsigned first = (unsigned)(FIRST_DISK_FD + machine->disk_count);
  check((int)syscall(SYS_close_range, first, ~0u, 4 /* CLOSE_RANGE_CLOEXEC */));
}

static void become_nobody(uint32_t id) {
  step = "leave the host's cgroup view";
  check(unshare(CLONE_NEWCGROUP));
  step = "give up all rights";
  for (int cap = 0; cap < 64; cap++)
    if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0) break; /* past the last one */
  struct stat device; /* where the hardware is used, it belongs to a group */
  int hardware = stat("/dev/kvm", &device) == 0;
  check(setgroups(hardware ? 1 : 0, &device.st_gid));
  check(setresgid(id, id, id));
  check(setresuid(id, id, id)); /* and with it all capabilities */
  check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
}

void machine_build(const struct machine *machine) {
  setsid();
  cage_enter(machine->id);
  step = "set the host name";
  check(sethostname("machine", 7));
  report_from(CLEAR);
  int link = out_of_the_way(listen_at(machine->id, "sock"));
  int control = out_of_the_way(listen_at(machine->id, "control"));
  int monitor = out_of_the_way(listen_at(machine->id, "monitor"));
  static struct parts parts;
  parts_open(machine, &parts);
  jail_build(machine, &parts);
  lay_out(machine, &parts, link, control, monitor);
  resource_limits();
  become_nobody(machine->first_id);
  uint64_t values[] = {UINT32_MAX};
  report_values(values, 1);
  step = "start QEMU";
  char *envp[] = {NULL};
  execve(machine->arguments[0], machine->arguments, envp);
  child_fail(errno);
}
