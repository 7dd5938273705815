package dev.cove.server;

import java.nio.file.Path;

/**
 * The folders of one Cove. Nothing of one home touches another.
 *
 * @param data survives a restart of the host
 * @param run does not need to
 */
record Home(Path data, Path run) {
  static final Home DEFAULT = new Home(Path.of("/var/lib/cove"), Path.of("/run/cove"));

  static Home in(Path folder) {
    Path absolute = folder.toAbsolutePath().normalize();
    return new Home(absolute.resolve("data"), absolute.resolve("run"));
  }

  Path ledger() {
    return data.resolve("ledger.db");
  }

  Path localKey() {
    return data.resolve("local.key");
  }

  /** What the secrets of webhooks follow from. */
  Path webhookKey() {
    return data.resolve("webhooks.key");
  }

  /** What the tokens of sandboxes in E2B's dialect follow from. */
  Path e2bKey() {
    return data.resolve("e2b.key");
  }

  Path nativeCode() {
    return data.resolve("lib");
  }

  Path lock() {
    return data.resolve("server.lock");
  }

  /** Tells local clients where the server is. */
  Path announcement() {
    return run.resolve("server.json");
  }
}
