/*
 * Folders of the host that a sandbox may change for itself alone. The folder is cloned, read-only and
 * id-mapped, so that what belongs to its owner belongs to the sandbox's user inside; above it lies a
 * layer of whiteouts for what is not to be seen; above that, a folder of the sandbox's own image.
 *
 * The mount shows neither what is mounted below the folder on the host nor anything through a link.
 */
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define USER 1000
#define NOBODY 65534
#define STRICTLY (RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)

static int open_strictly(int folder, const char *path, uint64_t resolve) {
  struct open_how how;
  memset(&how, 0, sizeof how);
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = resolve;
  return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

/* In the host's mount namespace. */
void workspaces_open(const struct plan *plan, struct trees *trees) {
  for (int i = 0; i < plan->workspace_count; i++) {
    step = "open the project", step_name = plan->workspaces[i].source;
    int source = check(open_strictly(AT_FDCWD, plan->workspaces[i].source, STRICTLY));
    struct stat info;
    check(fstat(source, &info));
    trees->workspaces[i].source = source;
    trees->workspaces[i].uid = info.st_uid;
    trees->workspaces[i].gid = info.st_gid;
    trees->workspaces[i].mount =
        check(open_tree_at(source, "", OPEN_TREE_CLONE | AT_EMPTY_PATH));
  }
  step_name = NULL;
}

/*
 * The owner becomes the user, and everybody else is nobody, the host's root as well: root inside may
 * read no more of the folder than its owner may.
 */
static void mapping(char *text, size_t size, uint32_t owner, uint32_t first_id) {
  snprintf(text, size, "%u %u 1\n", owner, first_id + USER);
}

void workspaces_map(const struct plan *plan, struct trees *trees, int proc) {
  for (int i = 0; i < plan->workspace_count; i++) {
    char uids[96], gids[96];
    mapping(uids, sizeof uids, trees->workspaces[i].uid, plan->first_id);
    mapping(gids, sizeof gids, trees->workspaces[i].gid, plan->first_id);
    trees->workspaces[i].user_ns = user_ns_mapping(proc, uids, gids);
  }
}

static uint32_t seen_as(uint32_t id, uint32_t owner, uint32_t first_id) {
  return id == owner ? first_id + USER : NOBODY;
}

/* A folder of the layer that hides has the looks of the host's, which it covers. */
static void dress(int folder, int like, const struct plan *plan, uid_t uid, gid_t gid) {
  struct stat info;
  check(fstat(like, &info));
  check(fchownat(folder, "", seen_as(info.st_uid, uid, plan->first_id),
                 seen_as(info.st_gid, gid, plan->first_id), AT_EMPTY_PATH));
  check(fchmod(folder, info.st_mode & 0777));
  const struct timespec times[2] = {info.st_atim, info.st_mtim};
  check(futimens(folder, times));
}

/* One name after the other, as far as the host has folders there. */
static void hide(int hidden, int source, char *path, const struct plan *plan, uid_t uid, gid_t gid) {
  int at = check(dup(hidden)), like = check(dup(source));
  for (char *slash; (slash = strchr(path, '/')); path = slash + 1) {
    *slash = 0;
    int next_like = open_strictly(like, path, STRICTLY | RESOLVE_BENEATH | RESOLVE_NO_XDEV);
    if (next_like < 0) { /* it went since somebody looked */
      close(at), close(like);
      return;
    }
    int made = mkdirat(at, path, 0700);
    if (made < 0 && errno != EEXIST) child_fail(errno);
    int next = openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0 && errno == ENOTDIR) { /* hidden itself, and all below it */
      close(at), close(like), close(next_like);
      return;
    }
    check(next);
    if (made == 0) dress(next, next_like, plan, uid, gid);
    close(at), close(like);
    at = next, like = next_like;
  }
  struct stat info;
  check(fstat(at, &info));
  if (*path && mknodat(at, path, S_IFCHR, 0) < 0 && errno != EEXIST) child_fail(errno);
  const struct timespec times[2] = {info.st_atim, info.st_mtim};
  check(futimens(at, times));
  close(at), close(like);
}

/* The engine has written down what is hidden: paths, each ended by a NUL. */
static void hide_all(const struct plan *plan, const struct trees *trees, int number) {
  const struct workspace *workspace = &plan->workspaces[number];
  step = "hide parts of the project", step_name = workspace->source;
  static const char *const options[] = {"source", "cove", "size", "32m", "nr_inodes", "65536",
                                        "mode", "0755", NULL};
  int mount = check(mount_detached("tmpfs", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  attach_tree(mount, "/hidden");
  close(mount);
  int hidden = check(open("/hidden", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  uid_t uid = trees->workspaces[number].uid;
  gid_t gid = trees->workspaces[number].gid;
  dress(hidden, trees->workspaces[number].source, plan, uid, gid);
  char name[96];
  snprintf(name, sizeof name, "%s/hidden-%s", plan->id, workspace->key);
  int list = openat(host.sandboxes, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  static char text[8192];
  size_t filled = 0;
  for (;;) {
    ssize_t n = check((int)read(check(list), text + filled, sizeof text - filled));
    filled += (size_t)n;
    size_t at = 0;
    for (char *end; (end = memchr(text + at, 0, filled - at)); at = (size_t)(end - text) + 1)
      hide(hidden, trees->workspaces[number].source, text + at, plan, uid, gid);
    memmove(text, text + at, filled - at);
    filled -= at;
    if (n == 0) break;
    if (filled == sizeof text) child_fail(ENAMETOOLONG);
  }
  close(list);
  close(hidden);
}

/* Of those sealed layers in which it was written to. */
static size_t sealed(char *lower, size_t size, const struct plan *plan, const struct trees *trees,
                     const char *part, int *uppermost) {
  size_t used = 0;
  *uppermost = -1;
  for (int i = 0; i < plan->shelf_count; i++) {
    struct stat info;
    if (fstatat(trees->shelves[i], part, &info, AT_SYMLINK_NOFOLLOW) < 0) continue;
    if (*uppermost < 0) *uppermost = i;
    used += (size_t)snprintf(lower + used, size - used, "/s%d/%s:", i, part);
    if (used >= size) child_fail(E2BIG);
  }
  return used;
}

/* Where it is new, it gets the rights of what lies below it. */
static void make_upper(const struct plan *plan, const struct trees *trees, int writable,
                       const char *part, const char *work, int number, int uppermost) {
  if (mkdirat(writable, work, 0700) < 0 && errno != EEXIST) child_fail(errno);
  if (mkdirat(writable, part, 0700) < 0) {
    if (errno != EEXIST) child_fail(errno);
    return;
  }
  struct stat info;
  if (uppermost >= 0) {
    check(fstatat(trees->shelves[uppermost], part, &info, AT_SYMLINK_NOFOLLOW));
  } else {
    check(fstat(trees->workspaces[number].source, &info));
    info.st_uid = plan->first_id + USER, info.st_gid = plan->first_id + USER;
  }
  check(fchownat(writable, part, info.st_uid, info.st_gid, AT_SYMLINK_NOFOLLOW));
  check(fchmodat(writable, part, info.st_mode & 0777, 0));
}

static void workspace_mount(const struct plan *plan, const struct trees *trees, int writable,
                            int root, int number) {
  const struct workspace *workspace = &plan->workspaces[number];
  hide_all(plan, trees, number);
  step = "map the ids of the project", step_name = workspace->source;
  id_map(trees->workspaces[number].mount, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOATIME,
         trees->workspaces[number].user_ns);
  attach_tree(trees->workspaces[number].mount, "/graft");
  step = "mount the project at", step_name = workspace->target;
  char part[40], work[48], lower[MAX_SHELVES * 48 + 32], options[sizeof lower + 256];
  snprintf(part, sizeof part, "%c%s", WORKSPACE, workspace->key);
  snprintf(work, sizeof work, "w%s", part);
  if (workspace->read_only) {
    snprintf(options, sizeof options, "lowerdir=/hidden:/graft,redirect_dir=off,metacopy=off");
  } else {
    int uppermost;
    size_t used = sealed(lower, sizeof lower, plan, trees, part, &uppermost);
    make_upper(plan, trees, writable, part, work, number, uppermost);
    snprintf(lower + used, sizeof lower - used, "/hidden:/graft");
    snprintf(options, sizeof options,
             "lowerdir=%s,upperdir=/writable/%s,workdir=/writable/%s,redirect_dir=off,index=off,"
             "metacopy=off,xino=auto",
             lower, part, work);
  }
  check(mount("overlay", "/grafted", "overlay",
              MS_NOSUID | MS_NODEV | (workspace->read_only ? MS_RDONLY : 0), options));
  int target = walk(root, workspace->target);
  check((int)syscall(SYS_move_mount, AT_FDCWD, "/grafted", target, "", MOVE_MOUNT_T_EMPTY_PATH));
  close(target);
  check(umount2("/graft", MNT_DETACH));
  check(umount2("/hidden", MNT_DETACH));
}

void workspaces_mount(const struct plan *plan, const struct trees *trees, int writable, int root) {
  for (int i = 0; i < plan->workspace_count; i++) workspace_mount(plan, trees, writable, root, i);
  step_name = NULL;
}
