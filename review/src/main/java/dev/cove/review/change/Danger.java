package dev.cove.review.change;

/** Why a change deserves a second look, the worst first: this is also the order of listing. */
public enum Danger {
  GIT_HOOK("runs with the next git command"),
  GIT_INTERNALS("changes how git behaves, or what it remembers"),
  SET_ID("runs with the rights of its owner"),
  SPECIAL_FILE("a pipe, a socket or a device, which is never applied"),
  LINK_OUTSIDE("leads out of the project"),
  SHELL_START("runs with the next shell or folder change"),
  CI("runs where the project is built for others"),
  BUILD_SCRIPT("runs with the next build, test or install"),
  HIDDEN_NAME("lies where the host's own file is hidden from the sandbox"),
  EXECUTABLE("became a program"),
  LOCK_FILE("decides which packages are installed"),
  CASE_TWIN("differs from its neighbour by upper and lower case alone"),
  ODD_NAME("its name does not show as it is"),
  LARGE("is very large"),
  BINARY("is no text, so that nobody can read what changed");

  private final String reason;

  Danger(String reason) {
    this.reason = reason;
  }

  /** In half a sentence, after the path. */
  public String reason() {
    return reason;
  }
}
