package dev.cove.edge.sandbox;

import dev.cove.control.project.Scope;
import dev.cove.edge.http.Fields;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.Workspace;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A folder of the host that a sandbox is to have, which only operators may name.
 *
 * @param path on the host
 * @param target where it appears; by the last name of its path where nobody says
 */
record WorkspaceBody(
    @Nullable String path,
    @Nullable String target,
    @Nullable Boolean readOnly,
    @Nullable List<@Nullable String> hide,
    @Nullable List<@Nullable String> show) {
  static List<Workspace> allOf(@Nullable List<@Nullable WorkspaceBody> projects) {
    if (projects == null || projects.isEmpty()) {
      return List.of();
    }
    if (!Scope.current().operator()) {
      throw new CoveException(
          ErrorCode.FORBIDDEN,
          "Only an operator's key may name folders of the host, and this is a project's.");
    }
    if (projects.size() > Workspace.MAX) {
      throw new IllegalArgumentException(
          "projects has %d entries, at most %d are allowed"
              .formatted(projects.size(), Workspace.MAX));
    }
    return projects.stream().map(body -> Fields.require("projects[]", body).toWorkspace()).toList();
  }

  private Workspace toWorkspace() {
    String folder = Fields.require("projects[].path", path);
    return new Workspace(
        folder,
        target == null ? Workspace.usualTarget(folder) : target,
        Boolean.TRUE.equals(readOnly),
        patterns("projects[].hide[]", hide),
        patterns("projects[].show[]", show));
  }

  private static List<String> patterns(String name, @Nullable List<@Nullable String> patterns) {
    return patterns == null
        ? List.of()
        : Stream.<@Nullable String>of(patterns.toArray(new String[0]))
            .map(pattern -> Fields.require(name, pattern))
            .toList();
  }
}
