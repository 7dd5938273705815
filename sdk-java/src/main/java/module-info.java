/**
 * Drives a Cove server from Java: sandboxes, commands, files, checkpoints, networks, ports and
 * keys.
 */
module dev.cove.sdk {
  requires static transitive org.jspecify;
  requires tools.jackson.core;

  exports dev.cove.sdk;
}
