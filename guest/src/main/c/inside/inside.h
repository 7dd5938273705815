/* What the commands that lie in every sandbox share. */
#ifndef COVE_INSIDE_H
#define COVE_INSIDE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ask.h"

int checkpoint_main(int argc, char **argv);
int sudo_main(int argc, char **argv, char **envp);

void say(int fd, const char *text, size_t len);
int fail(const char *who, const char *text, size_t len); /* 1 */
int agent_socket(void);
int agent_connect(int fd);

#endif
