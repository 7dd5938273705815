package dev.cove.review.change;

import dev.cove.model.file.ByteText;
import dev.cove.review.tree.Entry;
import dev.cove.review.tree.TreePath;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Tells by path and kind what a change can do to its host. Case is ignored, as some hosts do. */
final class DangerousPaths {
  private static final long LARGE = 10L << 20;

  private static final Set<String> CI_FOLDERS =
      Set.of(".circleci", ".buildkite", ".forgejo", ".gitea", ".woodpecker", ".teamcity");
  private static final Set<String> CI_FILES =
      Set.of(
          ".gitlab-ci.yml",
          ".travis.yml",
          ".drone.yml",
          ".cirrus.yml",
          "appveyor.yml",
          "azure-pipelines.yml",
          "bitbucket-pipelines.yml",
          "cloudbuild.yaml",
          "jenkinsfile");
  private static final Set<String> SHELL_FILES =
      Set.of(
          ".bashrc",
          ".bash_profile",
          ".bash_login",
          ".bash_logout",
          ".profile",
          ".zshrc",
          ".zshenv",
          ".zprofile",
          ".zlogin",
          ".envrc",
          ".inputrc",
          ".vimrc",
          ".exrc",
          ".tool-versions",
          "mise.toml",
          ".mise.toml");
  private static final Set<String> LOCK_FILES =
      Set.of(
          "package-lock.json",
          "npm-shrinkwrap.json",
          "yarn.lock",
          "pnpm-lock.yaml",
          "bun.lock",
          "bun.lockb",
          "cargo.lock",
          "gemfile.lock",
          "composer.lock",
          "poetry.lock",
          "uv.lock",
          "pdm.lock",
          "pipfile.lock",
          "go.sum",
          "flake.lock",
          "gradle.lockfile",
          "mix.lock",
          "pubspec.lock");
  private static final Set<String> BUILD_FILES =
      Set.of(
          "package.json",
          ".npmrc",
          ".yarnrc",
          ".yarnrc.yml",
          ".pnpmfile.cjs",
          "setup.py",
          "setup.cfg",
          "pyproject.toml",
          "conftest.py",
          "sitecustomize.py",
          "tox.ini",
          "noxfile.py",
          "makefile",
          "gnumakefile",
          "justfile",
          "taskfile.yml",
          "cmakelists.txt",
          "build.rs",
          "cargo.toml",
          "rakefile",
          "gemfile",
          "pom.xml",
          "cove.toml",
          ".coveignore",
          "build.gradle",
          "build.gradle.kts",
          "settings.gradle",
          "settings.gradle.kts",
          "gradle-wrapper.properties",
          "gradle-wrapper.jar",
          "maven-wrapper.properties",
          "gradlew",
          "mvnw",
          "dockerfile",
          "docker-compose.yml",
          "compose.yaml",
          ".pre-commit-config.yaml",
          "lefthook.yml",
          "composer.json",
          "go.mod");
  private static final Set<String> EDITOR_FOLDERS = Set.of(".vscode", ".idea", ".husky", ".claude");

  private DangerousPaths() {}

  /** By path, wherever it leads and whatever lies there. */
  static Set<Danger> ofPath(TreePath path) {
    var dangers = EnumSet.noneOf(Danger.class);
    List<String> parts = path.parts().stream().map(part -> part.toLowerCase(Locale.ROOT)).toList();
    String name = parts.getLast();
    int git = parts.indexOf(".git");
    if (git >= 0) {
      boolean hook = parts.subList(git, parts.size()).contains("hooks");
      dangers.add(hook ? Danger.GIT_HOOK : Danger.GIT_INTERNALS);
    }
    if (name.equals(".gitattributes") || name.equals(".gitmodules") || name.equals(".gitconfig")) {
      dangers.add(Danger.GIT_INTERNALS);
    }
    if ((parts.contains(".github") && !name.endsWith(".md"))
        || parts.stream().anyMatch(CI_FOLDERS::contains)
        || CI_FILES.contains(name)) {
      dangers.add(Danger.CI);
    }
    if (SHELL_FILES.contains(name)) {
      dangers.add(Danger.SHELL_START);
    }
    if (LOCK_FILES.contains(name)) {
      dangers.add(Danger.LOCK_FILE);
    }
    if (BUILD_FILES.contains(name) || parts.stream().anyMatch(EDITOR_FOLDERS::contains)) {
      dangers.add(Danger.BUILD_SCRIPT);
    }
    if (!ByteText.isPlain(path.text())) {
      dangers.add(Danger.ODD_NAME);
    }
    return dangers;
  }

  /** By what the sandbox made of it. */
  static Set<Danger> ofEntry(Optional<Entry> before, Entry after) {
    var dangers = EnumSet.noneOf(Danger.class);
    if (after.kind() == Entry.Kind.SPECIAL || after.kind() == Entry.Kind.WHITEOUT) {
      dangers.add(Danger.SPECIAL_FILE);
    }
    if (after.isSetId() && after.kind() != Entry.Kind.LINK) {
      dangers.add(Danger.SET_ID);
    }
    if (after.isExecutable() && !before.map(Entry::isExecutable).orElse(false)) {
      dangers.add(Danger.EXECUTABLE);
    }
    if (after.kind() == Entry.Kind.FILE && after.size() > LARGE) {
      dangers.add(Danger.LARGE);
    }
    return dangers;
  }

  /** Whether a link at this path leads out of the tree, as far as its text tells. */
  static boolean leadsOutside(TreePath path, String target) {
    if (target.startsWith("/")) {
      return true;
    }
    var at = new ArrayDeque<>(path.parent().parts());
    for (String part : target.split("/")) {
      if (part.equals("..")) {
        if (at.isEmpty()) {
          return true;
        }
        at.removeLast();
      } else if (!part.isEmpty() && !part.equals(".")) {
        at.addLast(part);
      }
    }
    return at.stream().findFirst().map(".git"::equalsIgnoreCase).orElse(false);
  }
}
