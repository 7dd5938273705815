package dev.cove.edge.e2b.template;

import dev.cove.control.build.BuildLog;
import dev.cove.control.project.Scope;
import dev.cove.edge.http.Problem;
import dev.cove.model.ResourceWish;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One build: what it is to be called, how far it is, and what it has said. */
final class BuildJob implements BuildLog {
  private static final int MOST_ENTRIES = 10_000;
  private static final int LONGEST_LINE = 4_000;
  private static final Pattern LINE = Pattern.compile("^Line (\\d+)\\b");

  private final Scope scope = Scope.current();
  private final String template;
  private final List<String> tags;
  private final ResourceWish limits;
  private final String id = UUID.randomUUID().toString();
  private final Clock clock;
  private final List<Entry> entries = new ArrayList<>();
  private String status = "waiting";
  private Optional<Reason> reason = Optional.empty();

  BuildJob(String template, List<String> tags, ResourceWish limits, Clock clock) {
    this.template = template;
    this.tags = List.copyOf(tags);
    this.limits = limits;
    this.clock = clock;
  }

  /** A line of its log. */
  record Entry(Instant timestamp, String level, String message) {}

  /** Why it failed, and at which step. */
  record Reason(String message, String step) {}

  /** How it stands. */
  record Status(
      String templateID,
      String buildID,
      String status,
      List<String> logs,
      List<Entry> logEntries,
      Optional<Reason> reason) {}

  String id() {
    return id;
  }

  /** On whose behalf it is done. */
  Scope scope() {
    return scope;
  }

  /** Whether the current caller may know of it. */
  boolean isVisible() {
    return scope.equals(Scope.current());
  }

  String template() {
    return template;
  }

  List<String> tags() {
    return tags;
  }

  /** How much its sandboxes may use. */
  ResourceWish limits() {
    return limits;
  }

  /**
   * @return false when it has begun before
   */
  synchronized boolean begin() {
    if (!status.equals("waiting")) {
      return false;
    }
    status = "building";
    return true;
  }

  synchronized void succeed() {
    add("info", "Build finished");
    status = "ready";
  }

  synchronized void fail(Problem problem) {
    Matcher line = LINE.matcher(problem.detail());
    String where = line.find() ? line.group(1) : "base";
    add("error", problem.detail());
    reason = Optional.of(new Reason(problem.detail(), where));
    status = "error";
  }

  @Override
  public synchronized void step(Progress progress) {
    add("info", (progress.cached() ? "CACHED " : "") + progress.text());
  }

  @Override
  public synchronized void output(String text) {
    text.lines().forEach(line -> add("info", line));
  }

  /** What comes after so many is not kept; the end always is. */
  private void add(String level, String message) {
    if (entries.size() < MOST_ENTRIES || !level.equals("info")) {
      String shown = message.length() > LONGEST_LINE ? message.substring(0, LONGEST_LINE) : message;
      entries.add(new Entry(clock.instant(), level, shown));
    }
  }

  synchronized Status status(int offset, int limit) {
    int from = Math.min(offset, entries.size());
    List<Entry> page = List.copyOf(entries.subList(from, Math.min(entries.size(), from + limit)));
    return new Status(
        template, id, status, page.stream().map(Entry::message).toList(), page, reason);
  }
}
