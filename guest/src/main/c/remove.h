/* Removing a tree, a name at a time; for the operation of that name and for what replaces trees. */
#ifndef COVE_REMOVE_H
#define COVE_REMOVE_H

#include <stdbool.h>
#include <sys/stat.h>

struct removal;
struct removal_rules {
  bool one_mount; /* what is mounted below stays */
  bool keep_top;  /* only what lies in it goes */
  bool (*keeps)(void *owner, const struct stat *); /* or NULL: nothing is kept */
  void *owner;
};

/* Takes parent over, also when it fails: NULL with errno. The name must be a folder. */
struct removal *removal_begin(int parent, const char *name, const struct removal_rules *);
int removal_next(struct removal *); /* 1: there is more; 0: done; -1 with errno */
bool removal_complete(const struct removal *); /* once done: nothing was kept */
void removal_free(struct removal *);

#endif
