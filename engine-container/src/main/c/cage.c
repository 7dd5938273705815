/*
 * One child, from the clone to the agent. The order matters: everything is built as the host's
 * root in namespaces that belong to the host; the user namespace is joined last, so the sandbox's
 * root owns its ids and nothing else.
 */
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/mount.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static void join_cgroups(const char *id) {
  step = "join the cgroup";
  char name[64];
  snprintf(name, sizeof name, "%s/cgroup.procs", id);
  for (int i = 0; i < host.cgroup_count; i++) {
    int fd = check(openat(host.cgroups[i], name, O_WRONLY | O_CLOEXEC));
    check(write(fd, "0", 1) == 1 ? 0 : -1);
    close(fd);
  }
}

/*
 * We are spared when memory runs out; what is inside is not. Written while we have SYS_RESOURCE, it
 * is also the lowest that anybody inside can choose. Commands are above it, so the agent outlives
 * them.
 */
static void be_killed_before_the_host(void) {
  step = "set the score for when memory runs out";
  int fd = check(openat(host.proc, "self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  check(write(fd, "250", 3) == 3 ? 0 : -1);
  close(fd);
}

void cage_enter(const char *id) {
  join_cgroups(id);
  be_killed_before_the_host();
}

static void join_network(int pooled) {
  step = "enter the network namespace";
  if (pooled >= 0) {
    check(setns(pooled, CLONE_NEWNET));
    return;
  }
  check(unshare(CLONE_NEWNET));
  net_ns_furnish(host.proc);
}

int listen_at(const char *id, const char *kind) {
  step = "bind a socket";
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s.%s", id, kind);
  int fd = check(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  check(fchdir(host.sockets));
  umask(0177);
  check(bind(fd, (struct sockaddr *)&address, sizeof address));
  umask(0);
  check(listen(fd, 16));
  return fd;
}

void become_root_inside(int user_ns) {
  step = "leave the host's cgroup view";
  check(unshare(CLONE_NEWCGROUP));
  step = "enter the user namespace";
  check(setns(user_ns, CLONE_NEWUSER));
  check(setgroups(0, NULL));
  check(setresgid(0, 0, 0));
  check(setresuid(0, 0, 0));
  step = "join a session keyring";
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS)
    child_fail(errno);
}

/* Layers are found in the host's own mount namespace; the child then returns to the empty one. */
void trees_open(const struct plan *plan, struct trees *trees) {
  step = "enter the host's mount namespace";
  check(setns(host.mount_ns, CLONE_NEWNS));
  for (int i = 0; i < plan->layer_count; i++) {
    step = "open the layer", step_name = plan->layers[i];
    trees->layers[i] = check(open_tree_at(AT_FDCWD, plan->layers[i], OPEN_TREE_CLONE));
  }
  for (int i = 0; i < plan->graft_count; i++) {
    step = "open the graft", step_name = plan->grafts[i].source;
    trees->grafts[i] = check(open_tree_at(AT_FDCWD, plan->grafts[i].source, OPEN_TREE_CLONE));
  }
  step_name = NULL;
  workspaces_open(plan, trees);
  if (!*plan->base_image) {
    step = "open the writable folder";
    char name[64];
    snprintf(name, sizeof name, "%s/writable", plan->id);
    trees->writable =
        check(open_tree_at(host.sandboxes, name, OPEN_TREE_CLONE | AT_SYMLINK_NOFOLLOW));
  }
  step = "create the mount namespace";
  check(setns(host.own_mount_ns, CLONE_NEWNS));
  for (int i = 0; i < plan->shelf_count; i++) trees->shelves[i] = shelf_open(plan->shelves[i]);
  check(unshare(CLONE_NEWNS));
  for (int i = 0; i < plan->volume_count; i++) trees->volumes[i] = volume_open(&plan->volumes[i]);
}

void cage_build(const struct plan *plan) {
  setsid();
  cage_enter(plan->id);
  join_network(plan->net_ns);
  step = "set the host name";
  check(sethostname(plan->id, strlen(plan->id)));
  check(setdomainname("", 0));
  int socket = listen_at(plan->id, "sock");
  if (socket <= 2) child_fail(EBADF);

  uint32_t loop_number = plan->spare >= 0 ? plan->spare_loop : UINT32_MAX;
  int image = plan->spare;
  if (image < 0 && *plan->base_image)
    image = plan->again ? image_attach_again(plan, &loop_number) : image_attach(plan, &loop_number);
  struct trees trees;
  trees_open(plan, &trees);
  int writable = image >= 0 ? image : trees.writable;
  step = "mount /proc";
  static const char *const options[] = {"source", "proc", NULL};
  int proc = check(mount_detached("proc", options,
                                  MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC));
  int user_ns = user_ns_create(proc, plan->first_id);
  workspaces_map(plan, &trees, proc);
  take_overlay_rights();
  if (plan->word_count > 0)
    runtime_run(plan, root_compose(plan, &trees, writable, user_ns), socket, loop_number,
                user_ns);
  root_build(plan, &trees, writable, proc, user_ns);
  uint64_t values[] = {loop_number};
  report_values(values, 1);

  become_root_inside(user_ns);
  agent_start(socket);
}

