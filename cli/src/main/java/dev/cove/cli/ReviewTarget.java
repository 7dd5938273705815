package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.ProjectInfo;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which sandbox a verb of review is about, and which paths of its projects: {@code [BOX]
 * [PATH]...}.
 *
 * <p>Without a sandbox it is the newest that works on this folder, or on one above it. A path is
 * relative to this folder where that is part of the project, else to the project.
 */
final class ReviewTarget {
  static final String LABEL = "[BOX] [PATH]...";
  static final String ABOUT =
      "The sandbox's id or name, by default the newest that works on this folder; and paths of its"
          + " project, by default all.";

  /** {@code box@3..@5}: from before one command to before another, or until now. */
  private static final Pattern BETWEEN =
      Pattern.compile("(.*)@([0-9]{1,9})\\.\\.(?:@([0-9]{1,9}))?");

  /** What a sandbox may be called; anything else is a path. */
  private static final Pattern BOX = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");

  /** From before that command to before the other, or until now. */
  record Between(int from, OptionalInt to) {}

  /** A project with those paths in it that are meant; none for all. */
  record Part(ProjectInfo project, List<String> paths) {}

  private final Sandbox sandbox;
  private final Optional<Between> between;
  private final List<Part> parts;

  private ReviewTarget(Sandbox sandbox, Optional<Between> between, List<Part> parts) {
    this.sandbox = sandbox;
    this.between = between;
    this.parts = parts;
  }

  static ReviewTarget find(Cove cove, List<String> words) {
    List<String> rest = CommandFlags.withoutDelimiter(words);
    boolean onlyPaths = rest.size() < words.size();
    Optional<Between> between = Optional.empty();
    Optional<Sandbox> named = Optional.empty();
    if (!onlyPaths && !rest.isEmpty()) {
      Matcher matcher = BETWEEN.matcher(rest.getFirst());
      if (matcher.matches()) {
        between = Optional.of(between(matcher));
        rest = rest.subList(1, rest.size());
        named =
            matcher.group(1).isEmpty()
                ? Optional.empty()
                : Optional.of(cove.sandboxes().require(matcher.group(1)));
      } else if (BOX.matcher(rest.getFirst()).matches()) {
        named = cove.sandboxes().find(rest.getFirst());
        rest = named.isPresent() ? rest.subList(1, rest.size()) : rest;
      }
    }
    Path here = here();
    List<String> paths = rest;
    Sandbox sandbox = named.orElseGet(() -> newest(cove, here, paths));
    return new ReviewTarget(sandbox, between, parts(sandbox.info(), here, paths));
  }

  private static Between between(Matcher matcher) {
    int from = Integer.parseInt(matcher.group(2));
    OptionalInt to =
        matcher.group(3) == null
            ? OptionalInt.empty()
            : OptionalInt.of(Integer.parseInt(matcher.group(3)));
    if (from == 0 || (to.isPresent() && to.getAsInt() <= from)) {
      throw new Misuse(
          "'%s' is not from one command to a later one, such as box@3..@5"
              .formatted(matcher.group()));
    }
    return new Between(from, to);
  }

  private static Path here() {
    try {
      return Path.of("").toRealPath();
    } catch (IOException e) {
      throw UserError.of("The current folder can't be told", e);
    }
  }

  private static Sandbox newest(Cove cove, Path here, List<String> words) {
    String id =
        cove.sandboxes().list().stream()
            .filter(box -> box.projects().stream().anyMatch(of -> here.startsWith(of.path())))
            .max(Comparator.comparing(SandboxInfo::createdAt))
            .map(SandboxInfo::id)
            .orElseThrow(() ->
                new UserError(
                    words.isEmpty()
                        ? "No sandbox works on %s; say which one, or make one with 'cove run"
                                .formatted(Escapes.visible(here.toString()))
                            + " --project . -- COMMAND'"
                        : "There is no sandbox '%s', and none works on %s"
                            .formatted(
                                Escapes.visible(words.getFirst()),
                                Escapes.visible(here.toString()))));
    return cove.sandboxes().require(id);
  }

  private static List<Part> parts(SandboxInfo box, Path here, List<String> words) {
    if (box.projects().isEmpty()) {
      throw new UserError(
          "The sandbox %s has no project; make one that has with --project PATH"
              .formatted(box.name()));
    }
    Map<ProjectInfo, List<String>> found = new LinkedHashMap<>();
    for (String word : words) {
      boolean known = false;
      for (ProjectInfo project : box.projects()) {
        Optional<String> path = pathIn(project, here, word);
        path.ifPresent(in -> found.computeIfAbsent(project, _ -> new ArrayList<>()).add(in));
        known |= path.isPresent();
      }
      if (!known) {
        throw new UserError(
            "'%s' is in no project of %s, which works on %s"
                .formatted(
                    Escapes.visible(word),
                    box.name(),
                    box.projects().stream()
                        .map(project -> Escapes.visible(project.path()))
                        .collect(Collectors.joining(", "))));
      }
    }
    if (words.isEmpty()) {
      box.projects().forEach(project -> found.put(project, List.of()));
    }
    return found.entrySet().stream().map(one -> part(one.getKey(), one.getValue())).toList();
  }

  /** Whoever names the project itself means all of it. */
  private static Part part(ProjectInfo project, List<String> paths) {
    return new Part(project, paths.contains("") ? List.of() : List.copyOf(paths));
  }

  private static Optional<String> pathIn(ProjectInfo project, Path here, String word) {
    Path host = Path.of(project.path());
    Path path = Path.of(word);
    if (path.isAbsolute()) {
      Optional<String> inside = below(Path.of(project.target()), path);
      return inside.isPresent() ? inside : below(host, path);
    }
    return below(host, here.startsWith(host) ? here.resolve(path) : host.resolve(path));
  }

  private static Optional<String> below(Path folder, Path path) {
    Path normal = path.normalize();
    return normal.startsWith(folder)
        ? Optional.of(folder.relativize(normal).toString())
        : Optional.empty();
  }

  /** The same paths of one project, between two commands. */
  ReviewTarget during(Part part, Between range) {
    return new ReviewTarget(sandbox, Optional.of(range), List.of(part));
  }

  /** The same paths of one project. */
  ReviewTarget within(Part part) {
    return new ReviewTarget(sandbox, between, List.of(part));
  }

  Sandbox sandbox() {
    return sandbox;
  }

  Optional<Between> between() {
    return between;
  }

  List<Part> parts() {
    return parts;
  }

  /** Whether just some paths are meant. */
  boolean isNarrowed() {
    return parts.stream().anyMatch(part -> !part.paths().isEmpty())
        || parts.size() < sandbox.info().projects().size();
  }

  /** How to name it in a command line. */
  String box() {
    return sandbox.info().name();
  }
}
