/*
 * The spawner builds cages. It is started by the engine as root, takes requests on stdin, answers
 * on stdout and ends when stdin does. Cages are its children but never die with it.
 *
 * Only trusted Java speaks to it; nothing from inside a sandbox is ever read here, but for the names
 * and files that merge.c copies, and whether seal.c finds something in a sandbox's memory. The parent only clones and watches; each child builds its own cage
 * and reports the step that failed.
 */
#ifndef COVE_SPAWNER_H
#define COVE_SPAWNER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MAX_LAYERS 64
#define MAX_GRAFTS 16
#define MAX_SHELVES 48
#define MAX_VOLUMES 8
#define MAX_WORKSPACES 8
#define MAX_CGROUPS 12
#define MAX_WORDS 32
#define MAX_DEVICES 32
#define MAX_FRAME 65536
#define WORKSPACE 'p' /* how the names of folders begin that hold what was written to one */
#define IDS_PER_SANDBOX 65536u

/* What a package manager needs, and SETPCAP so that the agent can drop the rest for its children. */
#define ROOT_CAPS 0x4fbull
#define CAP_SETPCAP_BIT 8
#define AGENT_CAPS (ROOT_CAPS | (1ull << CAP_SETPCAP_BIT))

/* Everything of the host that a child uses is held as a descriptor: paths are not looked up twice. */
struct host {
  int proc;          /* the host's /proc */
  int mount_ns;      /* the namespace in which layers are found by name */
  int own_mount_ns;  /* a tmpfs and nothing else */
  int net_ns;
  int sandboxes;     /* folder with a folder per sandbox */
  int base_images;
  int sockets;
  int spares;        /* folder with images that wait for a sandbox */
  int sealed;        /* folder with images that nobody writes any more */
  int volumes;       /* folder with the images of volumes */
  int agent;         /* sealed memfd */
  const void *command; /* cove-checkpoint, which every sandbox gets a copy of */
  size_t command_size;
  int cgroups[MAX_CGROUPS];
  int cgroup_count;
  int cgroup2;       /* -1 where the v2 hierarchy is not used */
  struct device {
    const char *name; /* below /dev */
    mode_t type;
    dev_t number;
  } devices[MAX_DEVICES]; /* of the host's, which every sandbox of ours has as well */
  int device_count;
  int favor;         /* keeps the favordynmods hierarchy alive; -1 where there is none */
};
extern struct host host;

struct graft {
  const char *target;
  const char *source;
};

struct volume {
  const char *name;
  const char *target;
  int read_only;
  uint32_t loop_number; /* of the device that shows it already, or UINT32_MAX */
};

/* A folder of the host that a sandbox sees as if it could write there. */
struct workspace {
  const char *target;
  const char *source;
  const char *key; /* names what was written to it, in this image and in sealed ones */
  int read_only;
};

struct plan {
  const char *id;
  const char *base_image; /* empty: no disk limit, the writable layer is a plain folder */
  uint32_t first_id;
  uint64_t shm_bytes;
  const char *layers[MAX_LAYERS];
  int layer_count;
  struct graft grafts[MAX_GRAFTS];
  int graft_count;
  const char *shelves[MAX_SHELVES]; /* names of sealed images, the uppermost first */
  int shelf_count;
  struct volume volumes[MAX_VOLUMES];
  int volume_count;
  struct workspace workspaces[MAX_WORKSPACES];
  int workspace_count;
  int keeps_identity; /* the sandbox has its names already */
  int again;          /* it has been here before: the writable layer is what it left */
  const char *command[MAX_WORDS + 1]; /* of a runtime that brings the agent up; or none */
  int word_count;
  int net_ns;          /* from the pool, or -1 to make one */
  int spare;           /* the mount of an image from the pool, or -1 to make one */
  uint32_t spare_loop;
};

/* Words on the report channel from child to parent. */
enum { REPORT_ERROR = 1, REPORT_VALUES = 2 };

/* host.c */
int must(int result, const char *what); /* ends the spawner when a call failed */
void host_prepare(int argc, char **argv);

/* requests.c */
int requests_read(void); /* 0 when the engine is gone */

/* cage.c: runs in the child. */
__attribute__((noreturn)) void cage_build(const struct plan *plan);
void cage_enter(const char *id); /* its cgroups, and its place when memory runs out */
int listen_at(const char *id, const char *kind);
struct trees;
void trees_open(const struct plan *plan, struct trees *trees);
void become_root_inside(int user_ns);

/* agent.c: as root of the sandbox. */
void take_overlay_rights(void); /* before overlays are mounted, which remember them */
void resource_limits(void);
__attribute__((noreturn)) void agent_start(int socket);

/* report.c */
__attribute__((noreturn)) void child_fail(int error);
extern const char *step; /* what is being done, for the report; with a name where one helps */
extern const char *step_name;
int check(int result); /* ends the child when a call failed */
void report_values(const uint64_t *values, int count);
void report_to(int fd);
void report_from(int lowest); /* the channel's number is at least this from now on */
void report_end(void); /* what follows keeps nobody waiting */
void report_mount(uint64_t value, int mount);

/* tree.c */
struct trees {
  int layers[MAX_LAYERS];
  int grafts[MAX_GRAFTS];
  int shelves[MAX_SHELVES];
  int volumes[MAX_VOLUMES];
  struct {
    int source;  /* as the host has it */
    int mount;   /* a clone, to be id-mapped */
    int user_ns; /* its mapping */
    uid_t uid;   /* whose it is on the host */
    gid_t gid;
  } workspaces[MAX_WORKSPACES];
  int writable; /* only where there is no image */
};
void places_make(void);
void root_build(const struct plan *plan, const struct trees *trees, int writable, int proc,
                int user_ns);
int root_compose(const struct plan *plan, const struct trees *trees, int writable, int user_ns);
void overlays(const struct plan *plan, const struct trees *trees, int writable, int user_ns);
int walk(int root, const char *path);
int open_tree_at(int dir, const char *name, unsigned flags);
int move_mount_to(int mount, int target);
void upper_folders(int writable, int count);
int mount_read_only(int mount);
int mount_detached(const char *type, const char *const *options, unsigned attributes);

void id_map(int mount, unsigned attributes, int user_ns);
void attach_tree(int mount, const char *name);

/* workspace.c */
void workspaces_open(const struct plan *plan, struct trees *trees);
void workspaces_map(const struct plan *plan, struct trees *trees, int proc);
void workspaces_mount(const struct plan *plan, const struct trees *trees, int writable, int root);

/* reach.c: runs in a child. */
struct reach {
  const char *id; /* whose image, or "none" */
  uint32_t loop_number; /* at which it is in use, or UINT32_MAX */
  const char *shelves[MAX_SHELVES];
  int shelf_count;
};
__attribute__((noreturn)) void layers_reach(const struct reach *reach);

/* runtime.c */
__attribute__((noreturn)) void runtime_run(const struct plan *plan, int root, int socket,
                                           uint64_t loop_number, int user_ns);

/* identity.c */
void identity_write(const struct plan *plan, const struct trees *trees, int writable);

/* shelf.c */
void shelf_put(const char *name);
void shelf_keep(const char *name, int mount);
void shelf_close(const char *name);
void shelf_drop(const char *name);
int shelf_open(const char *name);

/* volume.c: runs in a child. */
int volume_open(const struct volume *volume);
__attribute__((noreturn)) void volume_copy(const struct volume *from, const char *to);
__attribute__((noreturn)) void volume_thaw(const struct volume *volume);

/* seal.c: runs in a child. */
struct seal {
  const char *id;
  const char *layer;
  uint32_t loop_number;
  int agent_pid;
};
__attribute__((noreturn)) void seal_copy(const struct seal *seal);
__attribute__((noreturn)) void seal_move(const struct seal *seal, const struct plan *plan);
__attribute__((noreturn)) void seal_change(const struct seal *seal, const struct plan *plan);
__attribute__((noreturn)) void seal_undo(const struct seal *seal);
__attribute__((noreturn)) void seal_sync(const struct seal *seal);

/* merge.c: runs in a child. */
struct merge {
  const char *into;
  const char *base_image;
  int parts;
  const char *layers[MAX_SHELVES]; /* the uppermost first */
  int layer_count;
};
__attribute__((noreturn)) void layers_merge(const struct merge *merge);

/* image.c */
int loop_showing(int folder, const char *name, uint32_t loop_number);
int image_mount(int folder, const char *name, uint32_t loop_number);
void copy_sparse(int from, int to);
int loop_configure(int image, uint32_t *number, int read_only);
int ext4_mount(uint32_t loop_number, int read_only);
int image_attach(const struct plan *plan, uint32_t *loop_number);
int image_attach_again(const struct plan *plan, uint32_t *loop_number);
int image_create(const char *base, const char *layer, uint32_t *loop_number);
__attribute__((noreturn)) void image_measure(const char *id, uint32_t loop_number);
void loop_control_prepare(int max_partitions);
int loop_usable(void);
void image_shut(int mount);
void image_abandon(const char *id, uint32_t loop_number);
__attribute__((noreturn)) void image_prepare_spare(const char *base, const char *name);

/* spares.c */
void spares_clean(void);
void spares_keep(const char *image, int number);
int spares_are_low(void);
int spare_refill(void); /* 1 when one was begun */
void spare_arrived(int mount, uint32_t loop_number);
int spare_take(const char *image, const char *id, const char *name, uint32_t *loop_number);

/* userns.c */
int user_ns_create(int proc, uint32_t first_id);
int user_ns_mapping(int proc, const char *uids, const char *gids);

/* netns.c */
int net_ns_take(void);
int net_ns_pool_is_low(void);
int net_ns_refill(void); /* 1 when one was made, 0 when the pool is full or nothing can be made */
void net_ns_pool_size(int size);
void net_ns_furnish(int proc);

/* seccomp.c */
void seccomp_prepare(void);
int seccomp_install(void);

/* wire.c */
struct reader {
  const unsigned char *at;
  size_t left;
  int bad;
};
uint16_t take_u16(struct reader *reader);
uint32_t take_u32(struct reader *reader);
uint64_t take_u64(struct reader *reader);
const char *take_string(struct reader *reader);
void send_ok(uint32_t seq, const uint64_t *values, int count);
void send_error(uint32_t seq, int error, const char *what);
void send_exit(int pid, uint64_t start_time, uint32_t status);
void send_hello(uint32_t facts);

#endif
