/*
 * Makes one sealed image of several that lie one over the other, so that stacks do not grow without
 * end. What hides something below stays: whiteouts and opaque folders are copied as they are.
 *
 * File names and links here were chosen by sandboxes. None is ever followed: each step is one name
 * below an open folder, and what is copied is copied as what it is.
 */
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MAX_DEPTH 2048 /* two descriptors each; nobody's tree is deeper by accident */
#define OPAQUE "trusted.overlay.opaque"
#define OVERLAY "trusted.overlay."
#define LINKS "links" /* files with several names lie here until all of them are made */

static int links;

static int open_folder_at(int folder, const char *name) {
  return check(openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

static int is_opaque(int folder) {
  char value[8];
  return fgetxattr(folder, OPAQUE, value, sizeof value) == 1 && value[0] == 'y';
}

static void make_opaque(int folder) { check(fsetxattr(folder, OPAQUE, "y", 1, 0)); }

/* All but what the overlay notes about where a file was copied from, which is no longer so. */
static void copy_attributes(int from, int to) {
  static char names[XATTR_LIST_MAX], value[XATTR_SIZE_MAX];
  ssize_t length = flistxattr(from, names, sizeof names);
  if (length < 0) child_fail(errno);
  for (const char *name = names; name < names + length; name += strlen(name) + 1) {
    if (strncmp(name, OVERLAY, sizeof OVERLAY - 1) == 0 && strcmp(name, OPAQUE) != 0) continue;
    ssize_t size = fgetxattr(from, name, value, sizeof value);
    if (size < 0) child_fail(errno);
    check(fsetxattr(to, name, value, (size_t)size, 0));
  }
}

static void set_times(int folder, const char *name, const struct stat *as) {
  const struct timespec times[2] = {as->st_atim, as->st_mtim};
  check(utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW));
}

/* The owner first, because a new owner takes away set-id bits and capabilities. */
static void dress(int from, int to, const struct stat *as) {
  check(fchown(to, as->st_uid, as->st_gid));
  check(fchmod(to, as->st_mode & 07777));
  copy_attributes(from, to);
  const struct timespec times[2] = {as->st_atim, as->st_mtim};
  check(futimens(to, times));
}

static void copy_file(int from_folder, const char *name, int to_folder, const char *to_name,
                      const struct stat *info) {
  int from = check(openat(from_folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  int to = check(openat(to_folder, to_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  copy_sparse(from, to);
  dress(from, to, info);
  close(from);
  close(to);
}

static void copy_special(int from_folder, const char *name, int to_folder, const char *to_name,
                         const struct stat *info) {
  if (S_ISLNK(info->st_mode)) {
    char target[PATH_MAX];
    ssize_t length = readlinkat(from_folder, name, target, sizeof target - 1);
    if (length < 0) child_fail(errno);
    target[length] = 0;
    check(symlinkat(target, to_folder, to_name));
  } else {
    check(mknodat(to_folder, to_name, info->st_mode, info->st_rdev));
  }
  check(fchownat(to_folder, to_name, info->st_uid, info->st_gid, AT_SYMLINK_NOFOLLOW));
  if (!S_ISLNK(info->st_mode)) check(fchmodat(to_folder, to_name, info->st_mode & 07777, 0));
  set_times(to_folder, to_name, info);
}

static void copy_leaf(int from_folder, const char *name, int to_folder, const char *to_name,
                      const struct stat *info) {
  if (S_ISREG(info->st_mode))
    copy_file(from_folder, name, to_folder, to_name, info);
  else
    copy_special(from_folder, name, to_folder, to_name, info);
}

static void copy_linked(int from_folder, const char *name, int to_folder, const struct stat *info) {
  char kept[32];
  snprintf(kept, sizeof kept, "%llu", (unsigned long long)info->st_ino);
  struct stat there;
  if (fstatat(links, kept, &there, AT_SYMLINK_NOFOLLOW) < 0)
    copy_leaf(from_folder, name, links, kept, info);
  check(linkat(links, kept, to_folder, name, 0));
}

/* A few names of a folder, without asking for memory. */
struct names {
  char bytes[1024];
  long length, at;
};

/* The next name in a folder, or NULL at its end. */
static const char *next_name(int folder, struct names *names) {
  struct entry { /* as the kernel has it */
    uint64_t inode, offset;
    unsigned short size;
    unsigned char type;
    char name[];
  };
  for (;;) {
    if (names->at >= names->length) {
      names->length = syscall(SYS_getdents64, folder, names->bytes, sizeof names->bytes);
      names->at = 0;
      if (names->length < 0) child_fail(errno);
      if (names->length == 0) return NULL;
    }
    const struct entry *entry = (const void *)(names->bytes + names->at);
    names->at += entry->size;
    if (strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0) return entry->name;
  }
}

static void merge_folder(int from, int to, int depth);

static void take_folder(int from_folder, const char *name, int to_folder, const struct stat *info,
                        int depth) {
  check(mkdirat(to_folder, name, 0700));
  int from = open_folder_at(from_folder, name), to = open_folder_at(to_folder, name);
  merge_folder(from, to, depth);
  dress(from, to, info);
  close(from);
  close(to);
}

/* Both have it. What lies above wins, but for folders, which show what both hold. */
static void meet(int from_folder, const char *name, int to_folder, const struct stat *below,
                 const struct stat *above, int depth) {
  if (!S_ISDIR(above->st_mode)) return;
  int to = open_folder_at(to_folder, name);
  if (!is_opaque(to)) {
    if (S_ISDIR(below->st_mode)) {
      int from = open_folder_at(from_folder, name);
      merge_folder(from, to, depth);
      if (is_opaque(from)) make_opaque(to);
      close(from);
    } else {
      make_opaque(to); /* what is no folder hides everything further down */
    }
    const struct timespec times[2] = {above->st_atim, above->st_mtim};
    check(futimens(to, times));
  }
  close(to);
}

static void take(int from, const char *name, int to, int depth) {
  struct stat below, above;
  check(fstatat(from, name, &below, AT_SYMLINK_NOFOLLOW));
  if (fstatat(to, name, &above, AT_SYMLINK_NOFOLLOW) == 0)
    meet(from, name, to, &below, &above, depth);
  else if (errno != ENOENT)
    child_fail(errno);
  else if (S_ISDIR(below.st_mode))
    take_folder(from, name, to, &below, depth);
  else if (below.st_nlink > 1)
    copy_linked(from, name, to, &below);
  else
    copy_leaf(from, name, to, name, &below);
}

/* Puts what one folder holds under what the other does. */
static void merge_folder(int from, int to, int depth) {
  if (depth >= MAX_DEPTH) child_fail(ELOOP);
  struct names names = {.length = 0};
  const char *name;
  while ((name = next_name(from, &names))) take(from, name, to, depth + 1);
}

static void empty_links(int root) {
  struct names names = {.length = 0};
  const char *name;
  while ((name = next_name(links, &names))) check(unlinkat(links, name, 0));
  close(links);
  check(unlinkat(root, LINKS, AT_REMOVEDIR));
}

/* What was written to workspaces, which not every layer has. */
static void merge_workspaces(int root, int tree) {
  int folder = open_folder_at(tree, ".");
  struct names names = {.length = 0};
  const char *name;
  while ((name = next_name(folder, &names)))
    if (name[0] == WORKSPACE) take(folder, name, root, 0);
  close(folder);
}

/* Inode numbers mean something within one image only, so each has its own folder of links. */
static void merge_layer(int root, const char *layer, int parts) {
  step = "merge the layer", step_name = layer;
  int tree = shelf_open(layer);
  step = "merge the layer", step_name = layer;
  check(mkdirat(root, LINKS, 0700));
  links = open_folder_at(root, LINKS);
  for (int i = 0; i < parts; i++) {
    char name[16];
    snprintf(name, sizeof name, "u%d", i);
    take(tree, name, root, 0);
  }
  merge_workspaces(root, tree);
  empty_links(root);
  close(tree);
}

void layers_merge(const struct merge *merge) {
  uint32_t loop_number;
  int mount = image_create(merge->base_image, merge->into, &loop_number);
  int root = check(openat(mount, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < merge->layer_count; i++) merge_layer(root, merge->layers[i], merge->parts);
  step = "finish the merged layer", step_name = merge->into;
  check(syncfs(root));
  close(root);
  close(mount); /* the image is closed in order before anybody hears of it */
  report_values(NULL, 0);
  _exit(0);
}
