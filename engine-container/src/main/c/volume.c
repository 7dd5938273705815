/*
 * Volumes: images that outlive sandboxes. A cage has the mount in its own namespace and nobody else
 * does, so that it goes with the cage's last process. Cages with the same volume find each other's
 * loop device and with it share one file system; the engine sees to it that they do not race.
 *
 * Unlike a sandbox's own image, a volume has a journal and is flushed to the disk when asked.
 */
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OWNER 1000

/*
 * Always writable as a file system: one that is in use cannot be had both ways. A mount of it may be
 * read-only all the same.
 */
static int mount_device(uint32_t loop_number) {
  char source[32];
  snprintf(source, sizeof source, "/loop%u", loop_number);
  const char *options[] = {"source", source,   "discard",    NULL, "noinit_itable",
                           NULL,     "errors", "remount-ro", NULL};
  return mount_detached("ext4", options,
                        MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOATIME);
}

/*
 * A device that was found a moment ago may be gone or show something else by now; then whoever had
 * it has closed it, and a new one is needed.
 */
static int mount_image(const struct volume *volume) {
  uint32_t loop_number = volume->loop_number;
  int device = -1;
  if (loop_number != UINT32_MAX) device = loop_showing(host.volumes, volume->name, loop_number);
  if (device < 0) {
    step = "open the volume", step_name = volume->name;
    int image = check(openat(host.volumes, volume->name, O_RDWR | O_NOFOLLOW | O_CLOEXEC));
    device = loop_configure(image, &loop_number, 0);
    close(image);
  }
  step = "mount the volume", step_name = volume->name;
  int mount = check(mount_device(loop_number));
  close(device);
  return mount;
}

/* What sandboxes see is one folder of the image, so that lost+found stays out of sight. */
static void files_folder(int mount) {
  struct stat info;
  if (fstatat(mount, "files", &info, AT_SYMLINK_NOFOLLOW) == 0) return;
  if (errno != ENOENT) child_fail(errno);
  if (mkdirat(mount, "files.new", 0755) < 0 && errno != EEXIST) child_fail(errno);
  check(fchownat(mount, "files.new", OWNER, OWNER, AT_SYMLINK_NOFOLLOW));
  check(renameat(mount, "files.new", mount, "files"));
}

/* The volume's files as a mount that is attached nowhere. Needs a mount namespace of its own. */
int volume_open(const struct volume *volume) {
  int mount = mount_image(volume);
  files_folder(mount);
  check((int)syscall(SYS_move_mount, mount, "", AT_FDCWD, "/volume", MOVE_MOUNT_F_EMPTY_PATH));
  close(mount);
  int tree = check(open_tree_at(AT_FDCWD, "/volume/files", OPEN_TREE_CLONE | AT_SYMLINK_NOFOLLOW));
  check(umount2("/volume", MNT_DETACH));
  step_name = NULL;
  return tree;
}

/* The root of a file system that is in use, or -1 if it is not any more. */
static int reach(const struct volume *volume) {
  if (volume->loop_number == UINT32_MAX) return -1;
  int device = loop_showing(host.volumes, volume->name, volume->loop_number);
  if (device < 0) return -1;
  step = "reach the volume", step_name = volume->name;
  int mount = check(mount_device(volume->loop_number));
  close(device);
  int root = check(openat(mount, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  close(mount);
  return root;
}

/*
 * Frozen meanwhile, with all that was written in its place. When this fails or is killed, the engine
 * asks for the thaw.
 */
void volume_copy(const struct volume *from, const char *to) {
  int root = reach(from);
  step = "freeze the volume", step_name = from->name;
  if (root >= 0) check(ioctl(root, FIFREEZE, 0));
  step = "copy the volume";
  int image = check(openat(host.volumes, from->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  int copy = check(openat(host.volumes, to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  copy_sparse(image, copy);
  step = "thaw the volume";
  if (root >= 0) check(ioctl(root, FITHAW, 0));
  report_values(NULL, 0);
  _exit(0);
}

void volume_thaw(const struct volume *volume) {
  int root = reach(volume);
  step = "thaw the volume", step_name = volume->name;
  if (root >= 0 && ioctl(root, FITHAW, 0) < 0 && errno != EINVAL) child_fail(errno);
  report_values(NULL, 0);
  _exit(0);
}
