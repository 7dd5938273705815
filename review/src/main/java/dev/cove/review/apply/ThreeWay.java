package dev.cove.review.apply;

import dev.cove.review.text.Lines;
import dev.cove.review.text.ThreeWayMerge;
import dev.cove.review.text.ThreeWayMerge.Merged;
import java.io.IOException;

/**
 * Decides about one path, from what the sandbox began with, what it has, and what the host has now.
 *
 * <p>The rule above all others: what the host has and the sandbox never saw is not overwritten,
 * unless somebody says so for this very conflict.
 */
final class ThreeWay {
  private static final int MOST_MERGED = 4 << 20;
  private static final ThreeWayMerge.Names NAMES =
      new ThreeWayMerge.Names("host", "before", "sandbox");

  private ThreeWay() {}

  static Decision decide(Base base, Version sandbox, Version host, Resolution resolution)
      throws IOException {
    if (sandbox instanceof Version.Special special) {
      return new Decision.Skip("%s is never applied".formatted(special.shown()));
    }
    if (sandbox.equals(host)) {
      return new Decision.Keep();
    }
    return switch (base) {
      case Base.Unknown _ ->
          contested(
              "the host's version has changed since the sandbox was opened,"
                  + " and what it was before is not known",
              sandbox,
              resolution);
      case Base.Known(var version) -> decide(version, sandbox, host, resolution);
    };
  }

  private static Decision decide(Version base, Version sandbox, Version host, Resolution resolution)
      throws IOException {
    if (sandbox.equals(base)) {
      return new Decision.Keep();
    }
    if (host.equals(base)) {
      return new Decision.Take(sandbox);
    }
    if (base instanceof Version.File began
        && sandbox instanceof Version.File theirs
        && host instanceof Version.File ours) {
      return files(began, theirs, ours, resolution);
    }
    return contested(
        "it was %s, is %s in the sandbox and %s on the host"
            .formatted(base.shown(), changed(base, sandbox), changed(base, host)),
        sandbox,
        resolution);
  }

  private static String changed(Version base, Version now) {
    return now.shown().equals(base.shown()) ? "another" : now.shown();
  }

  private static Decision files(
      Version.File base, Version.File sandbox, Version.File host, Resolution resolution)
      throws IOException {
    int permissions =
        host.permissions() == base.permissions() ? sandbox.permissions() : host.permissions();
    if (sandbox.permissions() != base.permissions()
        && host.permissions() != base.permissions()
        && sandbox.permissions() != host.permissions()) {
      return contested("both changed its permissions, each in another way", sandbox, resolution);
    }
    if (sandbox.content().equals(base.content())) {
      return take(host.content(), permissions, host);
    }
    if (host.content().equals(base.content()) || host.content().equals(sandbox.content())) {
      return take(sandbox.content(), permissions, host);
    }
    return merge(base, sandbox, host, permissions, resolution);
  }

  private static Decision take(Content content, int permissions, Version host) {
    var version = new Version.File(content, permissions);
    return version.equals(host) ? new Decision.Keep() : new Decision.Take(version);
  }

  private static Decision merge(
      Version.File base,
      Version.File sandbox,
      Version.File host,
      int permissions,
      Resolution resolution)
      throws IOException {
    if (base.content().size() > MOST_MERGED
        || sandbox.content().size() > MOST_MERGED
        || host.content().size() > MOST_MERGED) {
      return contested("both changed it, and it is too large to merge", sandbox, resolution);
    }
    byte[] then = base.content().bytes(MOST_MERGED);
    byte[] theirs = sandbox.content().bytes(MOST_MERGED);
    byte[] ours = host.content().bytes(MOST_MERGED);
    if (Lines.isBinary(then) || Lines.isBinary(theirs) || Lines.isBinary(ours)) {
      return contested("both changed it, and it is no text", sandbox, resolution);
    }
    Merged merged = ThreeWayMerge.merge(Lines.of(then), Lines.of(ours), Lines.of(theirs));
    if (merged.isClean() || resolution == Resolution.MARKERS) {
      return take(Content.of(merged.bytes(NAMES)), permissions, host);
    }
    return contested(
        "both changed the same lines, in %d places".formatted(merged.conflicts()),
        sandbox,
        resolution);
  }

  private static Decision contested(String reason, Version sandbox, Resolution resolution) {
    return switch (resolution) {
      case REFUSE, MARKERS -> new Decision.Contested(reason);
      case OURS -> new Decision.Keep();
      case THEIRS -> new Decision.Take(sandbox);
    };
  }
}
