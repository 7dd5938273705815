package dev.cove.cli;

import dev.cove.model.file.ByteText;
import dev.cove.sdk.Change;
import dev.cove.sdk.ChangedEntry;
import dev.cove.sdk.RecordedCommand;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/**
 * Hands changes over to git: as commits of a new branch, or staged. The project's files stay as
 * they are.
 */
final class GitOutput {
  private static final String PROGRAM = "100755";
  private static final String FILE = "100644";
  private static final String LINK = "120000";
  private static final int OWNER_MAY_RUN = 0100;

  private final Session session;
  private final ReviewTarget target;
  private final GitFlags flags;
  private final boolean theirs;

  /** Something that is to be one commit. */
  private record Step(String message, ReviewedChanges changes) {}

  /** What becomes of a path; no content where it goes. */
  @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
  private record Write(String path, String mode, Optional<byte[]> content) {}

  /**
   * @param theirs whether the sandbox's version is taken where it can't be merged with git's
   */
  GitOutput(Session session, ReviewTarget target, GitFlags flags, boolean theirs) {
    this.session = session;
    this.target = target;
    this.flags = flags;
    this.theirs = theirs;
  }

  int write(ReviewedChanges changes) {
    if (changes.all().isEmpty()) {
      session.note("cove: There is nothing to hand over.");
      return ExitCode.OK;
    }
    for (ReviewTarget.Part part : target.parts()) {
      if (changes.all().stream().anyMatch(one -> one.project().equals(part.project().target()))) {
        try {
          write(part);
        } catch (IOException e) {
          throw UserError.of("The changes can't be handed to git", e);
        }
      }
    }
    return ExitCode.OK;
  }

  private void write(ReviewTarget.Part part) throws IOException {
    Path folder = Path.of(part.project().path());
    Git git = Git.in(folder);
    Optional<String> prefix = git.find("rev-parse", "--show-prefix");
    if (prefix.isEmpty()) {
      throw new UserError(
          "%s is in no git repository that git would use: %s"
              .formatted(
                  Escapes.visible(folder.toString()),
                  Escapes.visible(
                      git.run(Path.of("/dev/null"), "rev-parse", "--show-prefix")
                          .error()
                          .strip())));
    }
    if (flags.isStaged()) {
      stage(git, prefix.get(), part);
    } else {
      branch(git, prefix.get(), part);
    }
  }

  private void stage(Git git, String prefix, ReviewTarget.Part part) throws IOException {
    ReviewedChanges changes = ReviewedChanges.of(target.within(part));
    Set<String> ignored = ignored(git, List.of(changes), part);
    GitVersions versions =
        GitVersions.of(
            git, List.of("ls-files", "--full-name", "-s", "-z"), paths(List.of(changes)));
    List<Write> writes = writes(changes, prefix, versions, ignored);
    var list = new ByteArrayOutputStream();
    try (GitStream stream = GitStream.open()) {
      int number = 0;
      for (Write write : writes) {
        if (write.content().isPresent()) {
          stream.blob(++number, write.content().get());
        }
      }
      List<String> ids = stream.importInto(git).text().lines().toList();
      int next = 0;
      for (Write write : writes) {
        String entry =
            write.content().isPresent()
                ? write.mode() + " " + ids.get(next++)
                : "0 " + "0".repeat(ids.isEmpty() ? 40 : ids.getFirst().length());
        list.writeBytes((entry + "\t").getBytes(StandardCharsets.US_ASCII));
        list.writeBytes(ByteText.encode(write.path()));
        list.write(0);
      }
    }
    Path file = Files.createTempFile("cove-git", null);
    try {
      Files.write(file, list.toByteArray());
      git.requireFed(file, "update-index", "-z", "--index-info");
    } finally {
      Files.deleteIfExists(file);
    }
    session.note(
        "cove: Staged %s; your files are as they were. See 'git diff --cached'."
            .formatted(Human.count(writes.size(), "path")));
  }

  private void branch(Git git, String prefix, ReviewTarget.Part part) throws IOException {
    String branch = flags.branchFor(target.box());
    Optional<Path> worktree = flags.worktree().map(name -> Path.of(name).toAbsolutePath());
    requireNew(git, branch, worktree);
    Optional<String> head = git.find("rev-parse", "--verify", "--quiet", "HEAD^{commit}");
    List<Step> steps = steps(part);
    List<ReviewedChanges> changes = steps.stream().map(Step::changes).toList();
    Set<String> ignored = ignored(git, changes, part);
    GitVersions versions =
        head.isEmpty()
            ? GitVersions.of(git, List.of(), Set.of())
            : GitVersions.of(
                git, List.of("ls-tree", "--full-name", "-r", "-z", head.get()), paths(changes));
    String committer = committer(git);
    String author =
        flags.author().map(person -> identity(person, time(committer))).orElse(committer);
    int commits = 0;
    try (GitStream stream = GitStream.open()) {
      for (Step step : steps) {
        List<Write> writes = writes(step.changes(), prefix, versions, ignored);
        if (!writes.isEmpty()) {
          Optional<String> on = commits == 0 ? head : Optional.empty();
          stream.commit(branch, author, committer, step.message() + "\n", on);
          for (Write write : writes) {
            put(stream, write);
          }
          commits++;
        }
      }
      stream.importInto(git);
    }
    if (commits == 0) {
      session.note("cove: There is nothing that git would keep.");
      return;
    }
    worktree.ifPresent(path -> addWorktree(git, branch, path));
    session.note(
        "cove: The branch %s has %s. See 'git log -p %s'."
            .formatted(branch, Human.count(commits, "new commit"), branch));
  }

  private static void put(GitStream stream, Write write) throws IOException {
    if (write.content().isPresent()) {
      stream.modify(write.mode(), write.path(), write.content().get());
    } else {
      stream.delete(write.path());
    }
  }

  private void requireNew(Git git, String branch, Optional<Path> worktree) {
    if (git.find("check-ref-format", "--branch", branch).filter(branch::equals).isEmpty()) {
      throw new UserError("'%s' is no name for a branch".formatted(Escapes.visible(branch)));
    }
    if (git.find("rev-parse", "--verify", "--quiet", "refs/heads/" + branch).isPresent()) {
      throw new UserError(
          "There is a branch %s already; say another name with --branch".formatted(branch));
    }
    if (worktree.filter(path -> Files.exists(path, LinkOption.NOFOLLOW_LINKS)).isPresent()) {
      throw new UserError(
          "'%s' is there already".formatted(Escapes.visible(worktree.get().toString())));
    }
  }

  private void addWorktree(Git git, String branch, Path path) {
    try {
      git.require("worktree", "add", "--quiet", path.toString(), branch);
    } catch (UserError e) {
      git.run(Path.of("/dev/null"), "update-ref", "-d", "refs/heads/" + branch);
      throw e;
    }
    session.note("cove: It is checked out in %s.".formatted(Escapes.visible(path.toString())));
  }

  private String committer(Git git) {
    Optional<String> known = git.find("var", "GIT_COMMITTER_IDENT");
    if (known.isPresent()) {
      return known.get();
    }
    long now = System.currentTimeMillis() / 1000;
    return flags
        .author()
        .map(person -> identity(person, now + " +0000"))
        .orElseThrow(() ->
            new UserError(
                "git does not know who you are: set user.name and user.email, or say --author"
                    + " 'NAME <MAIL>'"));
  }

  private static String identity(GitFlags.Person person, String time) {
    return "%s <%s> %s".formatted(person.name(), person.mail(), time);
  }

  private static String time(String identity) {
    return identity.substring(identity.lastIndexOf('>') + 1).strip();
  }

  /** A commit for each command where all of them are known from the first on, else one for all. */
  private List<Step> steps(ReviewTarget.Part part) {
    List<RecordedCommand> commands = target.sandbox().commands();
    var steps = new ArrayList<Step>();
    boolean all = !commands.isEmpty() && commands.getFirst().number() == 1;
    for (int i = 0; all && i < commands.size(); i++) {
      OptionalInt to =
          i + 1 < commands.size()
              ? OptionalInt.of(commands.get(i + 1).number())
              : OptionalInt.empty();
      var range = new ReviewTarget.Between(commands.get(i).number(), to);
      String command = LogVerb.shown(commands.get(i).command());
      steps.add(
          new Step(
              flags.message().orElse(command), ReviewedChanges.of(target.during(part, range))));
    }
    if (steps.stream().allMatch(step -> step.changes().all().isEmpty())) {
      steps.clear();
      steps.add(
          new Step(
              flags.message().orElse("Changes of the sandbox " + target.box()),
              ReviewedChanges.of(target.within(part))));
    }
    return steps;
  }

  private static Set<String> paths(List<ReviewedChanges> steps) {
    var paths = new TreeSet<String>();
    for (ReviewedChanges step : steps) {
      for (Change change : step.all()) {
        paths.add(raw(change.path()));
        change.from().ifPresent(from -> paths.add(raw(from)));
      }
    }
    return paths;
  }

  /** What git is told to ignore is not handed over, unless paths were named. */
  private Set<String> ignored(Git git, List<ReviewedChanges> steps, ReviewTarget.Part part)
      throws IOException {
    if (!part.paths().isEmpty()) {
      return Set.of();
    }
    Path file = Files.createTempFile("cove-git", null);
    try {
      Files.write(file, ByteText.encode(String.join("\0", paths(steps))));
      byte[] out = git.run(file, "check-ignore", "-z", "--stdin").out();
      Set<String> ignored = new HashSet<>(List.of(ByteText.decode(out).split("\0")));
      ignored.remove("");
      if (!ignored.isEmpty()) {
        session.note(
            "cove: %s that git ignores %s left out; name paths to hand them over."
                .formatted(
                    Human.count(ignored.size(), "change"), ignored.size() == 1 ? "is" : "are"));
      }
      return ignored;
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private List<Write> writes(
      ReviewedChanges changes, String prefix, GitVersions versions, Set<String> ignored) {
    var writes = new ArrayList<Write>();
    var conflicts = new ArrayList<String>();
    for (Change change : changes.all()) {
      String path = raw(change.path());
      if (isGits(path) || ignored.contains(path)) {
        noteGits(path);
        continue;
      }
      change.from().map(GitOutput::raw).ifPresent(from -> goes(prefix + from, versions, writes));
      if (change.after().isEmpty() || change.after().get().type().equals("folder")) {
        if (versions.mayGo(prefix + path, changes.wholeBefore(change)) || theirs) {
          goes(prefix + path, versions, writes);
        } else {
          conflicts.add(change.path());
        }
      } else if (!change.after().get().type().equals("other")) {
        comes(changes, change, prefix + path, versions, writes, conflicts);
      }
    }
    if (!conflicts.isEmpty()) {
      throw new UserError(
          ("Nothing was handed over: git has other versions of %s, which can't be merged."
                  + " --theirs takes the sandbox's")
              .formatted(String.join(", ", conflicts.stream().map(Escapes::visible).toList())));
    }
    return writes;
  }

  private static void goes(String path, GitVersions versions, List<Write> writes) {
    if (versions.has(path)) {
      versions.remove(path);
      writes.add(new Write(path, "", Optional.empty()));
    }
  }

  private void comes(
      ReviewedChanges changes,
      Change change,
      String path,
      GitVersions versions,
      List<Write> writes,
      List<String> conflicts) {
    ChangedEntry after = change.after().orElseThrow();
    byte[] sandbox =
        changes.wholeAfter(change).orElseGet(() -> ByteText.encode(raw(after.link().orElse(""))));
    Optional<byte[]> merged = versions.merged(path, changes.wholeBefore(change), sandbox);
    if (merged.isEmpty() && !theirs) {
      conflicts.add(change.path());
      return;
    }
    byte[] content = merged.orElse(sandbox);
    versions.put(path, content);
    writes.add(new Write(path, mode(after), Optional.of(content)));
  }

  private static String mode(ChangedEntry entry) {
    if (entry.type().equals("link")) {
      return LINK;
    }
    return (Integer.parseInt(entry.mode(), 8) & OWNER_MAY_RUN) != 0 ? PROGRAM : FILE;
  }

  private static boolean isGits(String path) {
    return path.equals(".git") || path.startsWith(".git/") || path.contains("/.git/");
  }

  private void noteGits(String path) {
    if (isGits(path)) {
      session.note("cove: %s is git's own, and is left out.".formatted(Escapes.visible(path)));
    }
  }

  /** The name behind one that is shown. */
  private static String raw(String shown) {
    return ByteText.parse(shown);
  }
}
