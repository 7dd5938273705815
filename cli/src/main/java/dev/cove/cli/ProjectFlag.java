package dev.cove.cli;

import java.util.Optional;

/** Where a verb acts, for those who have an operator's key. */
final class ProjectFlag {
  private Optional<String> project = Optional.empty();

  void describe(Description description) {
    description.text(
        "--in",
        "PROJECT",
        "Act in that project, with an operator's key; COVE_PROJECT says it for all verbs.",
        name -> project = Optional.of(name));
  }

  /** The same for verbs that list. */
  void describeList(Description description) {
    description.text(
        "--in",
        "PROJECT",
        "Those of that project, or of all with '*'; for operators.",
        name -> project = Optional.of(name));
  }

  Session of(Session session) {
    return project.map(session::in).orElse(session);
  }
}
