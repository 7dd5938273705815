/* What the spawner holds of the host, and how it leaves the host's mount tree. */
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/mount.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct host host = {.cgroup2 = -1, .favor = -1};

int must(int result, const char *what) {
  if (result >= 0) return result;
  fprintf(stderr, "cove-spawner: %s: %s\n", what, strerror(errno));
  exit(1);
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
    must(n > 0 ? 0 : -1, path);
    left -= n;
  }
  must(fchmod(memory, 0555), "memfd");
  must(fcntl(memory, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE), "seal");
  close(file);
  return memory;
}

static void load_command(const char *path) {
  int file = must(open(path, O_RDONLY | O_CLOEXEC), path);
  struct stat info;
  must(fstat(file, &info), path);
  host.command_size = (size_t)info.st_size;
  host.command = mmap(NULL, host.command_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
  must(host.command == MAP_FAILED ? -1 : 0, path);
  close(file);
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
  places_make();
}

/* What it is now is what sandboxes get: a name that means something else later changes nothing. */
static void allow_device(const char *path) {
  struct stat info;
  must(stat(path, &info), path);
  int is_node = S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode);
  if (!is_node || strncmp(path, "/dev/", 5) != 0 || host.device_count == MAX_DEVICES) exit(2);
  host.devices[host.device_count++] =
      (struct device){path + 5, info.st_mode & S_IFMT, info.st_rdev};
}

void host_prepare(int argc, char **argv) {
  static const struct option options[] = {
      {"sandboxes", 1, 0, 's'}, {"base-images", 1, 0, 'b'}, {"sockets", 1, 0, 'u'},
      {"spares", 1, 0, 'p'},    {"sealed", 1, 0, 'S'},      {"volumes", 1, 0, 'v'},
      {"agent", 1, 0, 'a'},     {"cgroup", 1, 0, 'c'},      {"cgroup2", 1, 0, 'C'},
      {"net-pool", 1, 0, 'n'},  {"favor-moves", 0, 0, 'f'}, {"command", 1, 0, 'i'},
      {"device", 1, 0, 'd'},
      {0, 0, 0, 0}};
  const char *sandboxes = NULL, *base_images = NULL, *sockets = NULL, *agent = NULL, *spares = NULL,
             *sealed = NULL, *volumes = NULL, *command = NULL;
  int favor = 0, option;
  while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
    switch (option) {
      case 's': sandboxes = optarg; break;
      case 'b': base_images = optarg; break;
      case 'u': sockets = optarg; break;
      case 'a': agent = optarg; break;
      case 'i': command = optarg; break;
      case 'p': spares = optarg; break;
      case 'S': sealed = optarg; break;
      case 'v': volumes = optarg; break;
      case 'n': net_ns_pool_size(atoi(optarg)); break;
      case 'f': favor = 1; break;
      case 'd': allow_device(optarg); break;
      case 'C': host.cgroup2 = open_folder(optarg); break;
      case 'c':
        if (host.cgroup_count == MAX_CGROUPS) exit(2);
        host.cgroups[host.cgroup_count++] = open_folder(optarg);
        break;
      default: exit(2);
    }
  }
  if (!sandboxes || !base_images || !sockets || !agent || !command || !spares || !sealed || !volumes)
    exit(2);
  host.proc = open_folder("/proc");
  host.mount_ns = must(open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC), "mount namespace");
  host.net_ns = must(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), "network namespace");
  host.sandboxes = open_folder(sandboxes);
  host.base_images = open_folder(base_images);
  host.sockets = open_folder(sockets);
  host.spares = open_folder(spares);
  host.sealed = open_folder(sealed);
  host.volumes = open_folder(volumes);
  host.agent = load_agent(agent);
  load_command(command);
  int max_partitions = read_number("/sys/module/loop/parameters/max_part");
  leave_host_mounts(sandboxes);
  host.own_mount_ns = must(openat(host.proc, "self/ns/mnt", O_RDONLY | O_CLOEXEC), "own mounts");
  loop_control_prepare(max_partitions);
  if (favor) favor_moves();
  seccomp_prepare();
}
