package dev.cove.cli;

import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Project;
import dev.cove.sdk.ProjectInfo;
import dev.cove.sdk.SandboxInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Folders of this machine that a new sandbox works on; nothing lands there until it is applied. */
final class ProjectFolders {
  private static final int MOST_NAMED = 5;
  private static final String READ_ONLY = ":ro";

  private List<String> words = List.of();
  private List<String> hide = List.of();
  private List<String> show = List.of();

  void describe(Description verb) {
    verb.texts(
            "--project",
            "PATH[:TARGET][:ro]",
            "A folder of this machine to work on, by default at /home/user/NAME inside. Nothing in"
                + " it changes until 'cove apply'; may be given often.",
            v -> words = v)
        .texts(
            "--hide",
            "GLOB",
            "Paths of the projects that are not there for the sandbox, beside .env, keys and what"
                + " .coveignore names; may be given often.",
            v -> hide = v)
        .texts(
            "--show",
            "GLOB",
            "Paths that are to be there although they are hidden by default; may be given often.",
            v -> show = v);
  }

  /** The current folder, where none was named. */
  void orHere() {
    words = words.isEmpty() ? List.of(".") : words;
  }

  /** More than was said. */
  void alsoHide(List<String> globs) {
    hide = Stream.concat(hide.stream(), globs.stream()).toList();
  }

  /** What the first of them says of its sandboxes; nothing where there is none. */
  ProjectSettings settings() {
    return all().stream()
        .findFirst()
        .map(project -> ProjectSettings.of(Path.of(project.path())))
        .orElse(ProjectSettings.NONE);
  }

  /** Adds them to what a sandbox is to be. */
  CreateOptions addTo(CreateOptions options) {
    if (words.isEmpty() && (!hide.isEmpty() || !show.isEmpty())) {
      throw new Misuse("--hide and --show are for projects; say which: --project PATH");
    }
    CreateOptions all = options;
    for (Project project : all()) {
      all = all.project(project);
    }
    return all;
  }

  List<Project> all() {
    var all = new ArrayList<Project>();
    for (String word : words) {
      all.add(parse(word).hide(hide).show(show));
    }
    return all;
  }

  private static Project parse(String word) {
    boolean readOnly = word.endsWith(READ_ONLY);
    String rest = readOnly ? word.substring(0, word.length() - READ_ONLY.length()) : word;
    int colon = rest.lastIndexOf(":/"); // a target is absolute, so that other colons may be names
    String path = colon < 0 ? rest : rest.substring(0, colon);
    Project project = Project.of(folder(path).toString());
    project = colon < 0 ? project : project.target(rest.substring(colon + 1));
    return readOnly ? project.asReadOnly() : project;
  }

  private static Path folder(String path) {
    if (path.isEmpty()) {
      throw new Misuse("--project needs the path of a folder, such as '.'");
    }
    try {
      Path folder = Path.of(path).toRealPath();
      if (!Files.isDirectory(folder)) {
        throw new UserError("The project '%s' is no folder".formatted(Escapes.visible(path)));
      }
      return folder;
    } catch (IOException e) {
      throw UserError.of("The project '%s' can't be used".formatted(Escapes.visible(path)), e);
    }
  }

  /** Where commands run that do not say it. */
  static Optional<String> workingFolder(SandboxInfo box) {
    return box.projects().stream().findFirst().map(ProjectInfo::target);
  }

  /** Says in short what the sandbox does not get to see. */
  static void tellHidden(Session session, SandboxInfo box) {
    for (ProjectInfo project : box.projects()) {
      if (project.hiddenCount() > 0) {
        List<String> named = project.hidden().stream().limit(MOST_NAMED).toList();
        int more = project.hiddenCount() - named.size();
        session.note(
            "cove: Hidden in %s: %s%s"
                .formatted(
                    Escapes.visible(project.path()),
                    named.stream().map(Escapes::visible).collect(Collectors.joining(", ")),
                    more > 0 ? " and %d more".formatted(more) : ""));
      }
    }
  }
}
