/*
 * What the agent and the commands that lie in every sandbox say to each other, over a socket whose
 * name is in the sandbox's own network namespace: one packet that asks, one that answers. Who has a
 * command run may say more packets meanwhile, each a signal for it.
 */
#ifndef COVE_ASK_H
#define COVE_ASK_H

#define ASK_SOCKET "cove-ask" /* after a NUL: it has no file */
#define ASK_FOLDER "/dev/cove" /* where the commands lie */

#define ASK_RUN_ALLOWED "/etc/cove/sudo" /* a file of root's: templates say by it that ASK_RUN is for all */

enum {
  ASK_CHECKPOINT = 1, /* u8 this, then the name without an end */
  ASK_RUN = 2,        /* u8 this; with stdin, stdout, stderr and a sealed memfd with arguments of START */
  ASK_SIGNAL = 3,     /* u8 this, u8 its number; after an ASK_RUN */
  ASK_GRANTED = 0,    /* u8 this, then the id */
  ASK_REFUSED = 1,    /* u8 this, then a sentence */
  ASK_ENDED = 2,      /* u8 this, u8 the command's code, or 128 and the signal that ended it */
  ASK_RUN_FILES = 4,
  ASK_NAME_MAX = 1024,
  ASK_ANSWER_MAX = 2048,
  ASK_ANSWER_S = 600, /* so long may the host take */
};

#endif
