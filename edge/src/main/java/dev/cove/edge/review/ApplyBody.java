package dev.cove.edge.review;

import dev.cove.edge.http.Fields;
import dev.cove.node.NodeWorkspaces.Chosen;
import dev.cove.node.NodeWorkspaces.Wish;
import dev.cove.review.apply.Content;
import dev.cove.review.apply.Resolution;
import dev.cove.review.tree.TreePath;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which changes are to be applied, or dropped.
 *
 * @param project by its target, where the sandbox has several
 * @param contents files that the caller composed of the sandbox's and the host's
 */
record ApplyBody(
    @Nullable String project,
    @Nullable Boolean all,
    @Nullable List<@Nullable String> paths,
    @Nullable List<@Nullable ContentBody> contents,
    @Nullable String onConflict,
    @Nullable Boolean dryRun) {
  private static final int MOST_PATHS = 10_000;

  /** A file that somebody composed. */
  record ContentBody(
      @Nullable String path, @Nullable String content, @Nullable String sandboxDigest) {}

  Optional<String> target() {
    return Optional.ofNullable(project);
  }

  Wish toWish() {
    var chosen = new HashMap<TreePath, Chosen>();
    for (ContentBody body : contents == null ? List.<@Nullable ContentBody>of() : contents) {
      ContentBody one = Fields.require("contents[]", body);
      TreePath path = Paths.parse(Fields.require("contents[].path", one.path()));
      if (chosen.put(path, chosen(one)) != null) {
        throw new IllegalArgumentException("contents names %s twice".formatted(path));
      }
    }
    return new Wish(below(!chosen.isEmpty()), chosen, resolution(), Boolean.TRUE.equals(dryRun));
  }

  private static Chosen chosen(ContentBody body) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(Fields.require("contents[].content", body.content()));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("contents[].content is not base64", e);
    }
    return new Chosen(
        Content.of(bytes), Fields.require("contents[].sandboxDigest", body.sandboxDigest()));
  }

  /** Nothing is everything, so it has to be said. */
  List<TreePath> below(boolean alsoContents) {
    boolean everything = Boolean.TRUE.equals(all);
    boolean some = paths != null && !paths.isEmpty();
    if (everything && some) {
      throw new IllegalArgumentException("Give all or paths, not both");
    }
    if (!everything && !some && !alsoContents) {
      throw new IllegalArgumentException("Give \"all\": true, paths or contents");
    }
    if (paths != null && paths.size() > MOST_PATHS) {
      throw new IllegalArgumentException(
          "paths has %d entries, at most %d are allowed".formatted(paths.size(), MOST_PATHS));
    }
    return everything
        ? List.of(TreePath.ROOT)
        : paths == null
            ? List.of()
            : paths.stream().map(path -> Paths.parse(Fields.require("paths[]", path))).toList();
  }

  private Resolution resolution() {
    return switch (onConflict == null ? "stop" : onConflict) {
      case "stop" -> Resolution.REFUSE;
      case "ours" -> Resolution.OURS;
      case "theirs" -> Resolution.THEIRS;
      case "markers" -> Resolution.MARKERS;
      default ->
          throw new IllegalArgumentException("onConflict must be stop, ours, theirs or markers");
    };
  }

  /** For what takes neither contents nor a word about conflicts. */
  record SelectionBody(
      @Nullable String project, @Nullable Boolean all, @Nullable List<@Nullable String> paths) {
    List<TreePath> below() {
      return new ApplyBody(project, all, paths, null, null, null).below(false);
    }

    Optional<String> target() {
      return Optional.ofNullable(project);
    }
  }

  /** Which project alone. */
  record ProjectBody(@Nullable String project) {
    Optional<String> target() {
      return Optional.ofNullable(project);
    }
  }
}
