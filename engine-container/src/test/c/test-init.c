/*
 * Plays the agent in tests of the engine alone: each connection to its socket gets a shell that
 * reads a script from it. With the first byte 'u' the shell runs as uid 1000 without capabilities.
 */
#define _GNU_SOURCE
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static void serve(int connection) {
  char who;
  if (read(connection, &who, 1) != 1) _exit(1);
  for (int fd = 0; fd <= 2; fd++) dup2(connection, fd);
  close(connection);
  close(3);
  signal(SIGCHLD, SIG_DFL);
  if (who == 'u') {
    for (int cap = 0; cap < 64; cap++) prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
    if (setgroups(0, NULL) || setresgid(1000, 1000, 1000) || setresuid(1000, 1000, 1000)) _exit(1);
  }
  char *argv[] = {"sh", NULL};
  char *envp[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/tmp", NULL};
  execve("/bin/sh", argv, envp);
  _exit(127);
}

int main(void) {
  signal(SIGCHLD, SIG_IGN);
  for (;;) {
    int connection = accept(3, NULL, NULL);
    if (connection < 0) continue;
    if (fork() == 0) serve(connection);
    close(connection);
  }
}
