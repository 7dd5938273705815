package dev.cove.bench.report;

import dev.cove.bench.report.Figure.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.DoublePredicate;
import java.util.function.ToDoubleFunction;

/** The promises of the project, judged by what was measured. Ratios compare within one run only. */
final class FiguresToReach {
  private final List<Section> sections;
  private final List<Figure> figures = new ArrayList<>();

  FiguresToReach(List<Section> sections) {
    this.sections = sections;
  }

  List<Figure> judge() {
    ratio("first-output", "runc", "cove-cold", 5, "cold create to first output against runc run");
    ratio("first-output", "runc", "cove-warm", 5, "create with a warm pool against runc run");
    atMostTimes(
        "first-output", "cove-cold", "bwrap", 1.5, "cold create to first output against bwrap");
    atMostTimes("first-output", "cove-warm", "bwrap", 1.0, "create with a warm pool against bwrap");
    atMostMillis("exec", "cove", 3, "exec of true over HTTP");
    ratio("exec", "docker", "cove", 3, "exec of true against docker exec");
    allWithin("burst", "create", 250, "50 creates at once");
    below("density", "create-1000", 10, "s", "1,000 idle sandboxes created");
    atMost("density", "memory-1000", 1024, "KiB", "memory of each of 1,000 idle sandboxes");
    atMost("density", "left-behind", 0, "things", "left behind after deleting them and stopping");
    belowMillis("checkpoint", "idle", 20, "checkpoint of an idle sandbox with 500 MB");
    belowMillis("checkpoint", "busy", 100, "checkpoint while a program runs");
    belowMillis("checkpoint", "frozen", 50, "standing still for it");
    belowMillis("checkpoint", "restore", 50, "restore to first output");
    below("checkpoint", "forks", 2, "s", "100 forks with output from each");
    below("checkpoint", "fork-memory", 1024, "KiB", "memory of each of 100 forks");
    below("checkpoint", "fork-disk", 1024, "KiB", "disk of each of 100 forks");
    atMostTimes("apt", "inside", "overlay", 1.3, "apt-get install against plain overlayfs");
    atMostTimes("pull", "cove", "tar", 2.0, "pull and unpacking of 300 MB against tar xz");
    belowMillis("rest", "pause", 5, "pause of an idle sandbox");
    belowMillis("rest", "resume", 5, "resume of an idle sandbox");
    added("rest", "wake", "awake", 20, "latency that a wake adds to an exec");
    added("rest", "wake-request", "awake-request", 20, "latency that a wake adds to a request");
    added("projects", "open", "plain", 50, "opening a project of 100,000 files");
    below("projects", "memory", 2048, "KiB", "memory that it takes");
    belowMillis("projects", "diff", 300, "cove diff of 100 changed files in it");
    belowMillis("projects", "apply", 2_000, "apply of 1,000 files");
    atMostTimes("projects", "git", "git-host", 1.3, "git status inside against the host's");
    allWithin("load", "request", 100, "700 requests a second of all kinds");
    atLeast("load", "rate", 690, "per s", "of them answered");
    below("churn", "memory", 64, "MiB", "server's growth over 1,000 churned sandboxes");
    atMost("churn", "threads", 4, "", "threads more after them");
    atMost("churn", "descriptors", 4, "", "descriptors more after them");
    atMost("paused", "memory", 1024, "KiB", "memory of each of 1,000 paused sandboxes");
    below("paused", "cpu", 0.5, "%", "processor time for them");
    belowMillis("recovery", "ready", 3_000, "ready after kill -9 with 200 sandboxes");
    atMost("recovery", "lost", 0, "sandboxes", "lost by it");
    atLeast("network", "bulk-share", 80, "%", "download's speed, of direct's up to 1 GB/s");
    added("network", "request", "request-direct", 0.3, "latency that the gateway adds");
    belowMillis("network", "cut", 100, "change of policy to the end of a connection");
    below("network", "held", 64, "KiB", "memory of each of 2,500 connections");
    added("network", "tls", "tls-direct", 0.3, "latency that the gateway adds to TLS");
    addedP99("network", "tls", "tls-direct", 3, "the same, p99");
    added("network", "swapped", "tls-direct", 1, "latency that a secret put in adds");
    addedP99("network", "swapped", "tls-direct", 10, "the same, p99");
    atLeast("network", "swapped-rate", 3_000, "per s", "requests with a secret put into each");
    atLeast("network", "url-rate", 15_000, "per s", "requests to a port's URL");
    addedP99("network", "url", "url-direct", 5, "p99 that a port's URL adds");
    added("e2b", "create", "native", 15, "what E2B's client adds to a create");
    belowMillis("e2b", "run", 10, "commands.run('true') of E2B's client");
    atLeast("e2b", "upload", 300, "MB per s", "upload by E2B's client");
    atLeast("e2b", "download", 300, "MB per s", "download by E2B's client");
    below("e2b", "memory", 64, "MiB", "server's growth by them");
    belowMillis("code", "first", 100, "first 1+1 in a sandbox just made");
    belowMillis("server", "start", 1500, "server healthy");
    below("server", "resident", 250, "MB", "server resident with no sandbox");
    belowMillis("cli", "ls", 300, "cove ls");
    return List.copyOf(figures);
  }

  /** The slow one must take at least so many times as long as the fast one. */
  private void ratio(String section, String slow, String fast, double least, String what) {
    add(
        what,
        String.format(Locale.ROOT, "at least %.0f times faster", least),
        quotient(section, slow, fast)
            .map(q -> new Judged(String.format(Locale.ROOT, "%.1f times", q), q >= least)));
  }

  private void atMostTimes(String section, String ours, String theirs, double most, String what) {
    add(
        what,
        String.format(Locale.ROOT, "at most %.1f times as long", most),
        quotient(section, ours, theirs)
            .map(q -> new Judged(String.format(Locale.ROOT, "%.2f times", q), q <= most)));
  }

  private void added(String section, String ours, String direct, double most, String what) {
    added(section, List.of(ours, direct), Samples::p50Millis, most, what);
  }

  private void addedP99(String section, String ours, String direct, double most, String what) {
    added(section, List.of(ours, direct), Samples::p99Millis, most, what);
  }

  private void added(
      String section, List<String> pair, ToDoubleFunction<Samples> of, double most, String what) {
    add(
        what,
        String.format(Locale.ROOT, "under %.1f ms", most),
        samples(section, pair.getFirst())
            .flatMap(ours ->
                samples(section, pair.getLast())
                    .map(direct -> of.applyAsDouble(ours) - of.applyAsDouble(direct)))
            .map(more -> new Judged(Numbers.millis(more), more < most)));
  }

  private void atMostMillis(String section, String key, double most, String what) {
    add(
        what,
        String.format(Locale.ROOT, "%.0f ms or less", most),
        samples(section, key)
            .map(s -> new Judged(Numbers.millis(s.p50Millis()), s.p50Millis() <= most)));
  }

  private void belowMillis(String section, String key, double limit, String what) {
    add(
        what,
        String.format(Locale.ROOT, "under %,.0f ms", limit),
        samples(section, key)
            .map(s -> new Judged(Numbers.millis(s.p50Millis()), s.p50Millis() < limit)));
  }

  private void below(String section, String key, double limit, String unit, String what) {
    add(what, words("under", limit, unit), value(section, key, unit, value -> value < limit));
  }

  private void atMost(String section, String key, double limit, String unit, String what) {
    add(what, words("at most", limit, unit), value(section, key, unit, value -> value <= limit));
  }

  private void atLeast(String section, String key, double limit, String unit, String what) {
    add(what, words("at least", limit, unit), value(section, key, unit, value -> value >= limit));
  }

  private Optional<Judged> value(String section, String key, String unit, DoublePredicate reached) {
    return find(section)
        .flatMap(s -> s.findValue(key))
        .map(value -> new Judged(words("", value, unit), reached.test(value)));
  }

  private static String words(String relation, double value, String unit) {
    return (relation + " " + Numbers.plain(value) + " " + unit).strip();
  }

  private void allWithin(String section, String key, double limit, String what) {
    add(
        what,
        String.format(Locale.ROOT, "p99 under %.0f ms, none failing", limit),
        samples(section, key)
            .map(s ->
                new Judged(
                    "p99 " + Numbers.millis(s.p99Millis()) + ", " + s.failures() + " failed",
                    s.p99Millis() < limit && s.failures() == 0)));
  }

  private Optional<Double> quotient(String section, String above, String below) {
    return samples(section, above)
        .flatMap(a -> samples(section, below).map(b -> a.p50Millis() / b.p50Millis()));
  }

  private Optional<Samples> samples(String section, String key) {
    return find(section).flatMap(s -> s.findSamples(key));
  }

  private Optional<Section> find(String name) {
    return sections.stream().filter(section -> section.name().equals(name)).findFirst();
  }

  private void add(String what, String target, Optional<Judged> judged) {
    figures.add(
        judged
            .map(j ->
                new Figure(
                    what, target, j.measured(), j.reached() ? Verdict.REACHED : Verdict.MISSED))
            .orElseGet(() -> new Figure(what, target, "not measured", Verdict.NOT_MEASURED)));
  }

  private record Judged(String measured, boolean reached) {}
}
