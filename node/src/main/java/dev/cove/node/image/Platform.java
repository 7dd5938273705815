package dev.cove.node.image;

/** The machine's architecture in the words of the OCI. */
final class Platform {
  static final String ARCHITECTURE = nameOf(System.getProperty("os.arch", ""));

  private Platform() {}

  private static String nameOf(String java) {
    return switch (java) {
      case "amd64", "x86_64" -> "amd64";
      case "aarch64" -> "arm64";
      default -> java;
    };
  }
}
