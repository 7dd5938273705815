/*
 * The writable layer: a sparse ext4 image of the size the sandbox may fill, behind a loop device
 * that clears itself with the last mount. Only the sandbox's own mount namespace ever mounts it.
 */
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <linux/mount.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define LOOP_MAJOR 7
#define LOOP_CONTROL_MAJOR 10
#define LOOP_CONTROL_MINOR 237
#define ATTEMPTS 1000
#define SPARE_UPPERS 3
#define EXT4_SHUTDOWN _IOR('X', 125, uint32_t)
#define EXT4_NO_FLUSH 2u

static int part_shift;

/*
 * Own nodes in our tmpfs: the host's /dev may be empty, and the names here are nobody else's.
 * Where loop devices have partitions, their minor numbers are spread.
 */
void loop_control_prepare(int max_partitions) {
  while (max_partitions >> part_shift) part_shift++;
  mknod("/loop-control", S_IFCHR | 0600, makedev(LOOP_CONTROL_MAJOR, LOOP_CONTROL_MINOR));
}

static int loop_open(uint32_t number) {
  char name[32];
  snprintf(name, sizeof name, "/loop%u", number);
  if (mknod(name, S_IFBLK | 0600, makedev(LOOP_MAJOR, number << part_shift)) < 0 && errno != EEXIST)
    return -1;
  return open(name, O_RDWR | O_CLOEXEC);
}

int loop_usable(void) {
  int control = open("/loop-control", O_RDWR | O_CLOEXEC);
  if (control < 0) return 0;
  int number = ioctl(control, LOOP_CTL_GET_FREE);
  close(control);
  int device = number < 0 ? -1 : loop_open((uint32_t)number);
  if (device >= 0) close(device);
  return device >= 0;
}

static void copy_range(int from, int to, off_t at, off_t end) {
  static char buffer[65536];
  while (at < end) {
    size_t want = (size_t)(end - at) < sizeof buffer ? (size_t)(end - at) : sizeof buffer;
    ssize_t n = pread(from, buffer, want, at);
    if (n <= 0) child_fail(n < 0 ? errno : EIO);
    if (pwrite(to, buffer, (size_t)n, at) != n) child_fail(errno ? errno : EIO);
    at += n;
  }
}

/* A clone where the file system can; else only the few hundred KiB that are not holes. */
void copy_sparse(int from, int to) {
  if (ioctl(to, FICLONE, from) == 0) return;
  struct stat info;
  check(fstat(from, &info));
  check(ftruncate(to, info.st_size));
  for (off_t at = 0; at < info.st_size;) {
    off_t data = lseek(from, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) return;
    if (data < 0) child_fail(errno);
    off_t hole = lseek(from, data, SEEK_HOLE);
    if (hole < 0) child_fail(errno);
    copy_range(from, to, data, hole);
    at = hole;
  }
}

static int image_copy(const char *base, int folder, const char *name) {
  step = "copy the base image";
  int from = check(openat(host.base_images, base, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  int to = check(openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  copy_sparse(from, to);
  close(from);
  return to;
}

/* Everybody is told the same free number; after a collision they spread over the ones above it. */
static uint32_t some_steps(unsigned collisions) {
  uint32_t random = 0;
  if (collisions > 0) check((int)getrandom(&random, sizeof random, 0));
  return collisions > 0 ? random % (1 + 2 * (collisions < 16 ? collisions : 16)) : 0;
}

int loop_configure(int image, uint32_t *number, int read_only) {
  step = "set up a loop device";
  int control = check(open("/loop-control", O_RDWR | O_CLOEXEC));
  struct loop_config config;
  memset(&config, 0, sizeof config);
  config.fd = (uint32_t)image;
  config.block_size = 4096;
  config.info.lo_flags = LO_FLAGS_AUTOCLEAR | (read_only ? LO_FLAGS_READ_ONLY : 0);
  memcpy(config.info.lo_file_name, "cove", 5);
  for (unsigned i = 0; i < ATTEMPTS; i++) {
    uint32_t free_one = (uint32_t)check(ioctl(control, LOOP_CTL_GET_FREE)) + some_steps(i);
    int device = loop_open(free_one);
    if (device < 0 && errno != ENXIO && errno != ENODEV) child_fail(errno);
    if (device < 0) continue;
    if (ioctl(device, LOOP_CONFIGURE, &config) == 0) {
      *number = free_one;
      close(control);
      return device;
    }
    if (errno != EBUSY) child_fail(errno); /* EBUSY: another process was quicker */
    close(device);
  }
  child_fail(EBUSY);
}

int ext4_mount(uint32_t loop_number, int read_only) {
  char source[32];
  snprintf(source, sizeof source, "/loop%u", loop_number);
  /* Without barriers: a flush here would be a flush of the host's disk, for data that dies with it. */
  const char *writable[] = {"source",        source, "discard",   NULL,
                            "noinit_itable", NULL,   "nobarrier", NULL, NULL};
  const char *fixed[] = {"source", source, "ro", NULL, NULL};
  return mount_detached("ext4", read_only ? fixed : writable,
                        MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOATIME |
                            (read_only ? MOUNT_ATTR_RDONLY : 0));
}

static int attach_file(int image, uint32_t *loop_number) {
  int device = loop_configure(image, loop_number, 0);
  close(image);
  step = "mount the image";
  int mount = check(ext4_mount(*loop_number, 0));
  close(device);
  return mount;
}

static int attach(const char *base, int folder, const char *name, uint32_t *loop_number) {
  return attach_file(image_copy(base, folder, name), loop_number);
}

int image_attach(const struct plan *plan, uint32_t *loop_number) {
  char name[64];
  snprintf(name, sizeof name, "%s/image", plan->id);
  return attach(plan->base_image, host.sandboxes, name, loop_number);
}

/* The image that the sandbox had when it was last here. The engine has seen that nobody has it. */
int image_attach_again(const struct plan *plan, uint32_t *loop_number) {
  char name[64];
  snprintf(name, sizeof name, "%s/image", plan->id);
  step = "open the image";
  return attach_file(check(openat(host.sandboxes, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC)),
                     loop_number);
}

/* A fresh image among the sealed ones, to be filled. */
int image_create(const char *base, const char *layer, uint32_t *loop_number) {
  return attach(base, host.sealed, layer, loop_number);
}

void image_prepare_spare(const char *base, const char *name) {
  uint32_t loop_number;
  int mount = attach(base, host.spares, name, &loop_number);
  upper_folders(mount, SPARE_UPPERS);
  report_mount(loop_number, mount);
  _exit(0);
}

/* A loop device, open, if it shows that file; -1 if it shows another or none. */
int loop_showing(int folder, const char *name, uint32_t loop_number) {
  step = "find the image";
  struct stat info;
  if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) < 0) return -1;
  step = "find the loop device";
  int device = loop_open(loop_number);
  if (device < 0) return -1;
  struct loop_info64 loop;
  if (ioctl(device, LOOP_GET_STATUS64, &loop) == 0) {
    if (loop.lo_inode == info.st_ino && loop.lo_device == info.st_dev) return device;
    errno = ESTALE;
  }
  int error = errno;
  close(device);
  errno = error;
  return -1;
}

/*
 * The file system of a sandbox's image, by mounting its device a second time: that needs no step
 * through the sandbox's own tree. The mount is never attached and ends with this process.
 */
int image_mount(int folder, const char *name, uint32_t loop_number) {
  int device = loop_showing(folder, name, loop_number);
  if (device < 0) return -1;
  step = "reach the image";
  int mount = ext4_mount(loop_number, 0);
  int error = errno;
  close(device);
  errno = error;
  return mount;
}

static int image_reach(const char *id, uint32_t loop_number) {
  char name[64];
  snprintf(name, sizeof name, "%s/image", id);
  return image_mount(host.sandboxes, name, loop_number);
}

void image_measure(const char *id, uint32_t loop_number) {
  int mount = check(image_reach(id, loop_number));
  struct statfs space;
  check(fstatfs(mount, &space));
  uint64_t block = (uint64_t)space.f_bsize;
  uint64_t values[] = {(space.f_blocks - space.f_bfree) * block, space.f_blocks * block,
                       space.f_files - space.f_ffree, space.f_files};
  report_values(values, 4);
  _exit(0);
}

/*
 * Nobody will read the image again: without this, the end of the sandbox would first write all its
 * dirty data to a file that is about to be deleted.
 */
void image_shut(int mount) {
  int root = openat(mount, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  uint32_t how = EXT4_NO_FLUSH;
  if (root >= 0) ioctl(root, EXT4_SHUTDOWN, &how);
  if (root >= 0) close(root);
}

void image_abandon(const char *id, uint32_t loop_number) {
  int mount = image_reach(id, loop_number);
  if (mount < 0) return;
  image_shut(mount);
  close(mount);
}
