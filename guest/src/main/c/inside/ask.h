/*
 * What the agent and the commands that lie in every sandbox say to each other, over a socket whose
 * name is in the sandbox's own network namespace: one packet that asks, one that answers.
 */
#ifndef COVE_ASK_H
#define COVE_ASK_H

#define ASK_SOCKET "cove-ask" /* after a NUL: it has no file */
#define ASK_FOLDER "/dev/cove" /* where the commands lie */

enum {
  ASK_CHECKPOINT = 1, /* u8 this, then the name without an end */
  ASK_GRANTED = 0,    /* u8 this, then the id */
  ASK_REFUSED = 1,    /* u8 this, then a sentence */
  ASK_NAME_MAX = 1024,
  ASK_ANSWER_MAX = 2048,
  ASK_ANSWER_S = 600, /* so long may the host take */
};

#endif
