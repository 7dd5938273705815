/*
 * The root file system of a cage. Everything is mounted as real root and put together from
 * descriptors; a name inside the sandbox's tree is walked one component at a time and a symbolic
 * link on the way is an error, so an image cannot send a mount anywhere else.
 */
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/random.h>
#include <unistd.h>

#define TTY_GROUP 5
#define RO_QUIET (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)

int open_tree_at(int dir, const char *name, unsigned flags) {
  return (int)syscall(SYS_open_tree, dir, name, flags | OPEN_TREE_CLOEXEC);
}

int move_mount_to(int mount, int target) {
  return (int)syscall(SYS_move_mount, mount, "", target, "",
                      MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

static int set_attributes(int mount, uint64_t set, uint64_t clear, int user_ns) {
  struct mount_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.attr_set = set;
  attributes.attr_clr = clear;
  if (set & MOUNT_ATTR_NOATIME) attributes.attr_clr |= MOUNT_ATTR__ATIME;
  attributes.propagation = MS_PRIVATE;
  if (user_ns >= 0) {
    attributes.attr_set |= MOUNT_ATTR_IDMAP;
    attributes.userns_fd = (uint64_t)user_ns;
  }
  return (int)syscall(SYS_mount_setattr, mount, "", AT_EMPTY_PATH, &attributes, sizeof attributes);
}

int mount_read_only(int mount) { return set_attributes(mount, MOUNT_ATTR_RDONLY, 0, -1); }

/* Options are pairs; a name without a value is a flag. -1 when the kernel refuses. */
int mount_detached(const char *type, const char *const *options, unsigned attributes) {
  int fs = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
  if (fs < 0) return -1;
  long result = 0;
  for (; *options && result == 0; options += 2) {
    unsigned command = options[1] ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG;
    result = syscall(SYS_fsconfig, fs, command, options[0], options[1], 0);
  }
  if (result == 0) result = syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
  if (result == 0) result = syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, attributes);
  int error = errno;
  close(fs);
  errno = error;
  return (int)result;
}

/* Folders of the present root at which mounts are put together. */
void places_make(void) {
  step = "make folders for mounts";
  static const char *const folders[] = {"root", "writable", "small", "graft", "grafted",
                                        "shelf", "volume", "hidden"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    check(mkdir(folders[i], 0755));
  for (int i = 0; i < MAX_LAYERS; i++) {
    char name[8];
    snprintf(name, sizeof name, "l%d", i);
    check(mkdir(name, 0755));
  }
  for (int i = 0; i < MAX_SHELVES; i++) {
    char name[8];
    snprintf(name, sizeof name, "s%d", i);
    check(mkdir(name, 0755));
  }
}

/* Opens a folder below root, making the parts that are missing. */
int walk(int root, const char *path) {
  int at = check(dup(root));
  while (*path) {
    while (*path == '/') path++;
    size_t length = strcspn(path, "/");
    if (length == 0) break;
    char name[256];
    if (length >= sizeof name) child_fail(ENAMETOOLONG);
    memcpy(name, path, length);
    name[length] = 0;
    path += length;
    if (strcmp(name, "..") == 0 || strcmp(name, ".") == 0) child_fail(EINVAL);
    int next = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0 && errno == ENOENT) {
      check(mkdirat(at, name, 0755));
      next = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    check(next);
    close(at);
    at = next;
  }
  return at;
}

void attach_tree(int mount, const char *name) {
  check((int)syscall(SYS_move_mount, mount, "", AT_FDCWD, name, MOVE_MOUNT_F_EMPTY_PATH));
}

static void make_folder(int writable, char kind, int number) {
  char name[16];
  snprintf(name, sizeof name, "%c%d", kind, number);
  if (mkdirat(writable, name, 0700) < 0 && errno != EEXIST) child_fail(errno);
}

/* A pair of folders per overlay. A spare has the first few already, which warms its caches. */
void upper_folders(int writable, int count) {
  for (int i = 0; i < count; i++) {
    make_folder(writable, 'u', i);
    make_folder(writable, 'w', i);
  }
}

/* The writable folder gets the rights of what lies below it. */
static void dress_upper(int writable, int number, int lower) {
  char name[16];
  snprintf(name, sizeof name, "u%d", number);
  struct stat info;
  check(fstat(lower, &info));
  if (!S_ISDIR(info.st_mode)) child_fail(ENOTDIR);
  check(fchownat(writable, name, info.st_uid, info.st_gid, 0));
  check(fchmodat(writable, name, info.st_mode & 07777, 0));
}

void id_map(int mount, unsigned attributes, int user_ns) {
  check(set_attributes(mount, attributes | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, 0, user_ns));
}

static void overlay(const char *lower, int number, const char *target) {
  char options[4096];
  int length = snprintf(options, sizeof options,
                        "lowerdir=%s,upperdir=/writable/u%d,workdir=/writable/w%d,"
                        "redirect_dir=off,index=off,metacopy=off,xino=auto",
                        lower, number, number);
  if (length >= (int)sizeof options) child_fail(E2BIG);
  check(mount("overlay", target, "overlay", MS_NOSUID | MS_NODEV, options));
}

/* What sealed images hold for one overlay, above what lies below it. */
static void stack(char *lower, size_t size, const struct plan *plan, int number,
                  const char *below) {
  size_t used = 0;
  for (int i = 0; i < plan->shelf_count; i++)
    used += (size_t)snprintf(lower + used, size - used, "/s%d/u%d:", i, number);
  if (used + strlen(below) >= size) child_fail(E2BIG);
  strcpy(lower + used, below);
}

static void map_shelves(const struct plan *plan, const struct trees *trees, int user_ns) {
  for (int i = 0; i < plan->shelf_count; i++) {
    step = "map the ids of the sealed layer", step_name = plan->shelves[i];
    char name[8];
    snprintf(name, sizeof name, "/s%d", i);
    id_map(trees->shelves[i], MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOATIME, user_ns);
    attach_tree(trees->shelves[i], name);
  }
}

/* What lies uppermost below an overlay's writable folder, to take its rights from. */
static int uppermost(const struct plan *plan, const struct trees *trees, int number) {
  if (plan->shelf_count > 0) {
    char name[16];
    snprintf(name, sizeof name, "u%d", number);
    return check(openat(trees->shelves[0], name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  return number == 0 ? trees->layers[0] : trees->grafts[number - 1];
}

void overlays(const struct plan *plan, const struct trees *trees, int writable, int user_ns) {
  step = "prepare the writable layer";
  upper_folders(writable, plan->graft_count + 1);
  for (int i = 0; i <= plan->graft_count && !plan->again; i++)
    dress_upper(writable, i, uppermost(plan, trees, i));
  if (!plan->keeps_identity) identity_write(plan, trees, writable);
  step = "map the ids of the writable layer";
  id_map(writable, MOUNT_ATTR_NOATIME, user_ns);
  attach_tree(writable, "/writable");

  /*
   * The overlay works on its layers with the rights of whoever mounts it. That must be an id that
   * the id-mapped layers know: the sandbox's own root, but with our capabilities.
   */
  check(setfsgid((gid_t)plan->first_id) < 0 ? -1 : 0);
  check(setfsuid((uid_t)plan->first_id) < 0 ? -1 : 0);

  map_shelves(plan, trees, user_ns);
  char below[MAX_LAYERS * 5] = "", lower[MAX_LAYERS * 5 + MAX_SHELVES * 10];
  for (int i = 0; i < plan->layer_count; i++) {
    step = "map the ids of the layer", step_name = plan->layers[i];
    char name[8];
    snprintf(name, sizeof name, "/l%d", i);
    id_map(trees->layers[i], MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOATIME, user_ns);
    attach_tree(trees->layers[i], name);
    if (i > 0) strcat(below, ":");
    strcat(below, name);
  }
  step = "mount the overlay", step_name = "/";
  stack(lower, sizeof lower, plan, 0, below);
  overlay(lower, 0, "/root");
  int root = check(open("/root", O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < plan->graft_count; i++) {
    step = "mount the graft", step_name = plan->grafts[i].target;
    id_map(trees->grafts[i], MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOATIME, user_ns);
    attach_tree(trees->grafts[i], "/graft");
    stack(lower, sizeof lower, plan, i + 1, "/graft");
    overlay(lower, i + 1, "/grafted");
    int target = walk(root, plan->grafts[i].target);
    check((int)syscall(SYS_move_mount, AT_FDCWD, "/grafted", target, "", MOVE_MOUNT_T_EMPTY_PATH));
    close(target);
  }
  step_name = NULL;
  workspaces_mount(plan, trees, writable, root);
  close(root);
}

/* Directly on their own file systems, with no overlay between: what is written there is there to stay. */
static void volumes(const struct plan *plan, const struct trees *trees, int root, int user_ns) {
  for (int i = 0; i < plan->volume_count; i++) {
    const struct volume *volume = &plan->volumes[i];
    step = "mount a volume at", step_name = volume->target;
    id_map(trees->volumes[i], MOUNT_ATTR_NOATIME | (volume->read_only ? MOUNT_ATTR_RDONLY : 0),
           user_ns);
    int target = walk(root, volume->target);
    check(move_mount_to(trees->volumes[i], target));
    close(target);
    close(trees->volumes[i]);
  }
  step_name = NULL;
}

/*
 * The commands that every sandbox has, whatever it is made of: below /dev, which is in every sandbox
 * and in no layer. A copy in the sandbox's own memory, so that no file is shared with other sandboxes;
 * one program under two names.
 */
static void commands(int small) {
  step = "lay out Cove's own commands";
  check(mkdirat(small, "cove", 0755));
  int file = check(openat(small, "cove/cove-checkpoint", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0555));
  ssize_t written = write(file, host.command, host.command_size);
  if (written != (ssize_t)host.command_size) child_fail(written < 0 ? errno : ENOSPC);
  close(file);
  check(symlinkat("cove-checkpoint", small, "cove/cove-sudo"));
}

/* Two starts of a sandbox are two boots to programs inside, and the host's is not theirs to know. */
static void boot_id(int small) {
  step = "make a boot id";
  unsigned char bytes[16];
  ssize_t got = getrandom(bytes, sizeof bytes, 0);
  if (got != sizeof bytes) child_fail(got < 0 ? errno : EIO);
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  char text[2 * sizeof bytes + 4 + 2];
  size_t at = 0;
  for (size_t i = 0; i < sizeof bytes; i++) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text[at++] = '-';
    text[at++] = "0123456789abcdef"[bytes[i] >> 4];
    text[at++] = "0123456789abcdef"[bytes[i] & 15];
  }
  text[at++] = '\n';
  int file = check(openat(small, "boot", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444));
  ssize_t written = write(file, text, at);
  if (written != (ssize_t)at) child_fail(written < 0 ? errno : ENOSPC);
  close(file);
}

/* Everybody inside may use them: whoever allows a device allows it to all. */
static void allowed_devices(int dev) {
  step = "make the device";
  for (int i = 0; i < host.device_count; i++) {
    const struct device *device = &host.devices[i];
    step_name = device->name;
    char folder[256];
    const char *slash = strrchr(device->name, '/');
    size_t length = slash ? (size_t)(slash - device->name) : 0;
    if (length >= sizeof folder) child_fail(ENAMETOOLONG);
    memcpy(folder, device->name, length);
    folder[length] = 0;
    int parent = walk(dev, folder);
    check(mknodat(parent, slash ? slash + 1 : device->name, device->type | 0666, device->number));
    close(parent);
  }
  step_name = NULL;
}

/* One small tmpfs per sandbox holds /dev, /dev/shm, /sys, commands, and what masks parts of /proc. */
static void small_tmpfs(const struct plan *plan) {
  step = "mount the tmpfs for /dev";
  char size[32], uid[16];
  snprintf(size, sizeof size, "%llu", (unsigned long long)plan->shm_bytes);
  snprintf(uid, sizeof uid, "%u", plan->first_id);
  const char *options[] = {"source", "tmpfs", "size", size,  "nr_inodes", "65536", "mode", "0755",
                           "uid",  uid,   "gid",       uid,     NULL};
  int mount =
      check(mount_detached("tmpfs", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  attach_tree(mount, "/small");
  step = "fill /dev";
  int small = check(open("/small", O_PATH | O_DIRECTORY | O_CLOEXEC));
  check(mkdirat(small, "sys", 0555));
  check(mkdirat(small, "empty", 0555));
  check(mknodat(small, "nothing", S_IFREG | 0444, 0));
  boot_id(small);
  check(mkdirat(small, "shm", 01777));
  check(mkdirat(small, "dev", 0755));
  int dev = check(openat(small, "dev", O_PATH | O_DIRECTORY | O_CLOEXEC));
  check(mkdirat(dev, "pts", 0755));
  check(mkdirat(dev, "shm", 0755));
  static const struct {
    const char *name;
    unsigned major, minor;
  } nodes[] = {{"null", 1, 3},   {"zero", 1, 5},    {"full", 1, 7},
               {"random", 1, 8}, {"urandom", 1, 9}, {"tty", 5, 0}};
  for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
    check(mknodat(dev, nodes[i].name, S_IFCHR | 0666, makedev(nodes[i].major, nodes[i].minor)));
  allowed_devices(dev);
  check(mkdirat(dev, "cove", 0755));
  check(symlinkat("pts/ptmx", dev, "ptmx"));
  check(symlinkat("/proc/self/fd", dev, "fd"));
  check(symlinkat("/proc/self/fd/0", dev, "stdin"));
  check(symlinkat("/proc/self/fd/1", dev, "stdout"));
  check(symlinkat("/proc/self/fd/2", dev, "stderr"));
  close(dev);
  commands(small);
  close(small);
}

/* Puts a part of the small tmpfs, or of /proc itself, over target. */
static void cover_with(int from, const char *name, unsigned set, unsigned clear, int target) {
  int part = check(open_tree_at(from, name, OPEN_TREE_CLONE | AT_SYMLINK_NOFOLLOW));
  check(set_attributes(part, set, clear, -1));
  check(move_mount_to(part, target));
  close(part);
}

static void cover(int from, const char *name, unsigned attributes, int target) {
  cover_with(from, name, attributes, 0, target);
}

static void dev_and_sys(const struct plan *plan, int root) {
  step = "mount /dev";
  int target = walk(root, "dev");
  cover(AT_FDCWD, "/small/dev", MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, target);
  close(target);
  step = "mount /dev/cove";
  target = walk(root, "dev/cove");
  cover_with(AT_FDCWD, "/small/cove", MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
             MOUNT_ATTR_NOEXEC, target);
  close(target);
  step = "mount /dev/shm";
  target = walk(root, "dev/shm");
  cover(AT_FDCWD, "/small/shm", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, target);
  close(target);
  step = "mount /dev/pts";
  char group[16];
  snprintf(group, sizeof group, "%u", plan->first_id + TTY_GROUP);
  /* All sandboxes share the host's kernel.pty.max, of which 3072 are theirs as a rule. */
  const char *options[] = {"source",   "devpts", "gid", group, "mode", "0620",
                           "ptmxmode", "0666",   "max", "64",  NULL};
  int pts = check(mount_detached("devpts", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  target = walk(root, "dev/pts");
  check(move_mount_to(pts, target));
  close(pts);
  close(target);
  step = "mount /sys";
  target = walk(root, "sys");
  cover(AT_FDCWD, "/small/sys", RO_QUIET, target);
  close(target);
}

/*
 * Most of /proc belongs to the host's root, which nobody inside is. Hidden are the parts that tell
 * everybody about the host or its other tenants; read-only, those that set anything.
 */
static void proc_parts(int root) {
  static const char *const masked[] = {
      "acpi", "asound", "interrupts", "kallsyms", "kcore", "key-users", "keys", "kmsg",
      "latency_stats", "locks", "modules", "sched_debug", "scsi", "sysrq-trigger", "timer_list"};
  static const char *const fixed[] = {"sys", "irq", "bus", "fs"};
  step = "mask parts of /proc";
  int proc = check(openat(root, "proc", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  for (size_t i = 0; i < sizeof masked / sizeof *masked; i++) {
    int target = openat(proc, masked[i], O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (target < 0 && errno == ENOENT) continue;
    struct stat info;
    check(fstat(check(target), &info));
    cover(AT_FDCWD, S_ISDIR(info.st_mode) ? "/small/empty" : "/small/nothing", RO_QUIET, target);
    close(target);
  }
  step = "make parts of /proc read-only";
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
    int target = openat(proc, fixed[i], O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (target < 0 && errno == ENOENT) continue;
    cover(proc, fixed[i], RO_QUIET, check(target));
    close(target);
  }
  step = "put a boot id over the host's";
  int boot = openat(proc, "sys/kernel/random/boot_id", O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (boot >= 0 || errno != ENOENT) {
    cover(AT_FDCWD, "/small/boot", RO_QUIET, check(boot));
    close(boot);
  }
  close(proc);
}

/* What the sandbox stands on and nothing of the kernel's, for a runtime that brings its own. */
int root_compose(const struct plan *plan, const struct trees *trees, int writable, int user_ns) {
  overlays(plan, trees, writable, user_ns);
  int root = check(open("/root", O_PATH | O_DIRECTORY | O_CLOEXEC));
  volumes(plan, trees, root, user_ns);
  step = "make /tmp";
  close(walk(root, "tmp"));
  close(root);
  step = "take the root along";
  return check(open_tree_at(AT_FDCWD, "/root", OPEN_TREE_CLONE | AT_RECURSIVE));
}

void root_build(const struct plan *plan, const struct trees *trees, int writable, int proc,
                int user_ns) {
  overlays(plan, trees, writable, user_ns);
  small_tmpfs(plan);
  int root = check(open("/root", O_PATH | O_DIRECTORY | O_CLOEXEC));
  volumes(plan, trees, root, user_ns);
  dev_and_sys(plan, root);
  step = "mount /proc";
  int target = walk(root, "proc");
  check(move_mount_to(proc, target));
  close(target);
  proc_parts(root);
  step = "change to the new root";
  check(fchdir(root));
  close(root);
  check((int)syscall(SYS_pivot_root, ".", "."));
  check(umount2(".", MNT_DETACH));
  check(chdir("/"));
}
