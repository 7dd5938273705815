package dev.cove.cli;

import dev.cove.cli.review.Content;
import dev.cove.cli.review.FileReview;
import dev.cove.review.text.Hunks;
import dev.cove.sdk.Change;
import dev.cove.sdk.ChangedEntry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Changes of a sandbox as somebody decides about them. */
final class UnderReview {
  /** A path of a project, as it is shown. */
  record Place(String project, String path) {}

  private final ReviewedChanges changes;

  private UnderReview(ReviewedChanges changes) {
    this.changes = changes;
  }

  /** In the order in which they are shown. */
  static Map<Place, FileReview> of(ReviewTarget target) {
    var review = new UnderReview(ReviewedChanges.of(target));
    var summary = new ChangeSummary(false, target.parts().size() > 1);
    Map<Place, FileReview> files = new LinkedHashMap<>();
    for (Change change : review.changes.all()) {
      var warnings = new ArrayList<String>();
      change.dangers().forEach(danger -> warnings.add(Escapes.visible(danger.text())));
      if (change.hostChanged()) {
        warnings.add("the host's file changed as well");
      }
      files.put(
          new Place(change.project(), change.path()),
          new FileReview(
              ChangeSummary.letterOf(change.kind()),
              summary.name(change) + "  " + ChangeSummary.size(change),
              warnings,
              () -> review.content(change)));
    }
    return files;
  }

  private Content content(Change change) {
    String entries =
        "%s %s %s".formatted(change.kind(), told(change.before()), told(change.after()));
    return switch (changes.versions(change)) {
      case ReviewedChanges.Versions.Text(var before, var after) ->
          new Content.Text(
              Hunks.between(before, after, Applying.CONTEXT),
              digest(entries, before.bytes(), after.bytes()));
      case ReviewedChanges.Versions.Unreadable(var why) ->
          new Content.Unreadable(why, digest(entries, changes.beginningAfter(change), new byte[0]));
    };
  }

  private static String told(Optional<ChangedEntry> entry) {
    return entry.map(ChangedEntry::toString).orElse("none");
  }

  private static String digest(String entries, byte[] one, byte[] other) {
    String all = entries + " " + Applying.digest(one) + " " + Applying.digest(other);
    return Applying.digest(all.getBytes(StandardCharsets.UTF_8));
  }
}
