package dev.cove.cli;

import dev.cove.review.text.Lines;
import dev.cove.sdk.Change;
import dev.cove.sdk.ChangePage;
import dev.cove.sdk.ChangeQuery;
import dev.cove.sdk.ChangedEntry;
import dev.cove.sdk.SandboxChanges;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a sandbox changed, as far as it was asked for, the dangerous first. */
final class ReviewedChanges {
  private static final int PAGE = 1_000;
  private static final int MOST = 100_000;

  /** Larger files are taken or left whole, and not shown. */
  private static final int MOST_SHOWN = 8 << 20;

  private static final int MOST_HANDED_OVER = 64 << 20;

  private final ReviewTarget target;
  private final SandboxChanges changes;
  private final List<Change> all = new ArrayList<>();
  private long total;
  private boolean truncated;

  /** What two versions of a file are to somebody who reads. */
  sealed interface Versions {
    record Text(Lines before, Lines after) implements Versions {}

    /** In half a sentence. */
    record Unreadable(String why) implements Versions {}
  }

  private ReviewedChanges(ReviewTarget target) {
    this.target = target;
    this.changes = target.sandbox().changes();
  }

  static ReviewedChanges of(ReviewTarget target) {
    var reviewed = new ReviewedChanges(target);
    for (ReviewTarget.Part part : target.parts()) {
      reviewed.load(part);
    }
    return reviewed;
  }

  private ChangeQuery query(ReviewTarget.Part part) {
    ChangeQuery query = ChangeQuery.all().project(part.project().target()).paths(part.paths());
    if (target.between().isPresent()) {
      query = query.from(target.between().get().from());
      if (target.between().get().to().isPresent()) {
        query = query.to(target.between().get().to().getAsInt());
      }
    }
    return query;
  }

  private void load(ReviewTarget.Part part) {
    ChangeQuery query = query(part).limit(PAGE);
    Optional<String> next = Optional.empty();
    do {
      ChangePage page = changes.list(next.isPresent() ? query.after(next.get()) : query);
      if (next.isEmpty()) {
        total += page.total();
        truncated |= page.truncated();
      }
      all.addAll(page.changes());
      next = page.next();
    } while (next.isPresent() && all.size() < MOST);
  }

  /** At most 100,000. */
  List<Change> all() {
    return all;
  }

  /** Also those that are not listed because they are too many. */
  long total() {
    return Math.max(total, all.size());
  }

  /** Whether there are more than anybody can list. */
  boolean truncated() {
    return truncated;
  }

  /** In git's format. */
  byte[] patch() {
    if (all.isEmpty()) {
      return new byte[0];
    }
    var patch = new ByteArrayOutputStream();
    for (ReviewTarget.Part part : target.parts()) {
      patch.writeBytes(changes.patch(query(part)));
    }
    return patch.toByteArray();
  }

  /** Both versions, where they are files that can be read as text. */
  Versions versions(Change change) {
    if (change.binary()) {
      return new Versions.Unreadable("is no text");
    }
    Optional<Versions.Unreadable> no =
        change
            .before()
            .flatMap(ReviewedChanges::unreadable)
            .or(() -> change.after().flatMap(ReviewedChanges::unreadable));
    if (no.isPresent()) {
      return no.get();
    }
    if (!change.baseKnown()) {
      return new Versions.Unreadable("its version before is not known: the host's file changed");
    }
    byte[] before =
        change.before().isPresent() ? content(change, before(), MOST_SHOWN + 1) : new byte[0];
    byte[] after =
        change.after().isPresent() ? content(change, after(), MOST_SHOWN + 1) : new byte[0];
    if (before.length > MOST_SHOWN || after.length > MOST_SHOWN) {
      return new Versions.Unreadable("is too large to be shown");
    }
    return Lines.isBinary(before) || Lines.isBinary(after)
        ? new Versions.Unreadable("is no text")
        : new Versions.Text(Lines.of(before), Lines.of(after));
  }

  /** All of a file before, however it is made up; empty where there was none, or none is known. */
  Optional<byte[]> wholeBefore(Change change) {
    return change.baseKnown() ? whole(change, change.before(), before()) : Optional.empty();
  }

  /** All of a file as the sandbox has it; empty where it has none. */
  Optional<byte[]> wholeAfter(Change change) {
    return whole(change, change.after(), after());
  }

  /** What a file begins with in the sandbox, as much as would be shown; of others nothing. */
  byte[] beginningAfter(Change change) {
    boolean file = change.after().map(entry -> entry.type().equals("file")).orElse(false);
    return file ? content(change, after(), MOST_SHOWN) : new byte[0];
  }

  private Optional<byte[]> whole(Change change, Optional<ChangedEntry> entry, String version) {
    if (entry.isEmpty() || !entry.get().type().equals("file")) {
      return Optional.empty();
    }
    if (entry.get().bytes() > MOST_HANDED_OVER) {
      throw new UserError(
          "'%s' is larger than %s"
              .formatted(Escapes.visible(change.path()), Human.bytes(MOST_HANDED_OVER)));
    }
    return Optional.of(content(change, version, MOST_HANDED_OVER));
  }

  private static Optional<Versions.Unreadable> unreadable(ChangedEntry entry) {
    if (!entry.type().equals("file")) {
      String what = entry.link().map(to -> "a link to " + Escapes.visible(to)).orElse(entry.type());
      return Optional.of(new Versions.Unreadable("is " + what));
    }
    return entry.bytes() > MOST_SHOWN
        ? Optional.of(new Versions.Unreadable("is too large to be shown"))
        : Optional.empty();
  }

  private String before() {
    return target.between().map(range -> "@" + range.from()).orElse("base");
  }

  private String after() {
    return target.between().stream()
        .flatMapToInt(range -> range.to().stream())
        .mapToObj(to -> "@" + to)
        .findFirst()
        .orElse("sandbox");
  }

  private byte[] content(Change change, String version, int most) {
    String path = version.equals(before()) ? change.from().orElse(change.path()) : change.path();
    return read(changes, change.project(), path, version, most);
  }

  /** At most so many bytes of one version. */
  static byte[] read(
      SandboxChanges changes, String project, String path, String version, int most) {
    try (InputStream in = changes.content(project, path, version)) {
      return in.readNBytes(most);
    } catch (IOException e) {
      throw UserError.of("'%s' can't be read".formatted(Escapes.visible(path)), e);
    }
  }
}
