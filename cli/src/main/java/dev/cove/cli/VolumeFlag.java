package dev.cove.cli;

/** A volume for a new sandbox, written {@code NAME:/path} or {@code NAME:/path:ro}. */
record VolumeFlag(String volume, String target, boolean readOnly) {
  static VolumeFlag parse(String text) {
    int colon = text.indexOf(':');
    if (colon <= 0 || !text.startsWith("/", colon + 1)) {
      throw new UserError("--volume is NAME:/path or NAME:/path:ro, not " + text);
    }
    String target = text.substring(colon + 1);
    boolean readOnly = target.endsWith(":ro");
    if (readOnly) {
      target = target.substring(0, target.length() - ":ro".length());
    } else if (target.endsWith(":rw")) {
      target = target.substring(0, target.length() - ":rw".length());
    }
    return new VolumeFlag(text.substring(0, colon), target, readOnly);
  }
}
