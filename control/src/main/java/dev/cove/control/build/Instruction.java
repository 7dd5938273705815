package dev.cove.control.build;

import java.util.List;

/**
 * One instruction of a Dockerfile, its lines joined and not yet understood.
 *
 * @param keyword in upper case
 * @param rest what follows the keyword; not empty unless nothing does
 * @param escape the character that takes the meaning from the next one
 */
record Instruction(
    int line, String keyword, String rest, String text, List<Heredoc> heredocs, char escape) {
  BuildException refused(String message) {
    return new BuildException(line, message);
  }

  /** The same without the flags that have been read. */
  Instruction withRest(String changed) {
    return new Instruction(line, keyword, changed, text, heredocs, escape);
  }
}
