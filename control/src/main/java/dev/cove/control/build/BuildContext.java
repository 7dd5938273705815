package dev.cove.control.build;

/** The files that a caller sent along with a Dockerfile. */
final class BuildContext {
  private BuildContext() {}
}
