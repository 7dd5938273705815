package dev.cove.cli;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** That changes are to become commits, or staged, with nothing in the project's files changed. */
final class GitFlags {
  private static final Pattern AUTHOR = Pattern.compile("([^<>\\n]*[^<>\\s])\\s*<([^<>\\n]+)>");

  private Optional<String> branch = Optional.empty();
  private Optional<String> worktree = Optional.empty();
  private boolean staged;
  private Optional<String> author = Optional.empty();
  private Optional<String> message = Optional.empty();

  /** Who did it. */
  record Person(String name, String mail) {}

  void describe(Description verb) {
    verb.text(
            "--branch",
            "NAME",
            "Make a git branch of it instead, from HEAD on: a commit for each recorded command, or"
                + " one for all. Your files are not touched.",
            v -> branch = Optional.of(v))
        .text(
            "--worktree",
            "FOLDER",
            "The same, and a git worktree in that new folder.",
            v -> worktree = Optional.of(v))
        .flag("--staged", "Only put it into git's index.", () -> staged = true)
        .text(
            "--author",
            "'NAME <MAIL>'",
            "Who did it; default you, as git knows you.",
            v -> author = Optional.of(v))
        .text(
            "--message",
            "TEXT",
            "What a commit says; default the command that was run.",
            v -> message = Optional.of(v));
  }

  boolean isWanted() {
    return branch.isPresent() || worktree.isPresent() || staged;
  }

  void requireSense() {
    if (staged && (branch.isPresent() || worktree.isPresent())) {
      throw new Misuse("Say either --staged or --branch and --worktree");
    }
    if (branch.isEmpty() && worktree.isEmpty() && (author.isPresent() || message.isPresent())) {
      throw new Misuse("--author and --message are for --branch and --worktree");
    }
    author(); // or it says what is wrong
  }

  boolean isStaged() {
    return staged;
  }

  Optional<String> worktree() {
    return worktree;
  }

  /** The branch that is to be made. */
  String branchFor(String box) {
    return branch.orElse("cove/" + box);
  }

  Optional<String> message() {
    return message;
  }

  Optional<Person> author() {
    return author.map(text -> {
      Matcher matcher = AUTHOR.matcher(text.strip());
      if (!matcher.matches()) {
        throw new Misuse("'%s' is not NAME <MAIL>".formatted(Escapes.visible(text)));
      }
      return new Person(matcher.group(1), matcher.group(2));
    });
  }
}
