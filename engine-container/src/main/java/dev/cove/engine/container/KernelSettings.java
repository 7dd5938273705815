package dev.cove.engine.container;

import dev.cove.engine.EngineReport.Finding;
import dev.cove.engine.EngineReport.Severity;
import java.util.ArrayList;
import java.util.List;

/** Settings and limits of the host with which sandboxes run, but fewer of them or less well. */
final class KernelSettings {
  private static final List<String> NAMESPACES =
      List.of("pid", "mnt", "net", "ipc", "uts", "cgroup");
  private static final int MANY = 2_000;
  private static final int FILES = 65_536;
  private static final int PROCESSES = 32_768;

  private final KernelFiles files;
  private final List<Finding> findings = new ArrayList<>();

  KernelSettings(KernelFiles files) {
    this.files = files;
  }

  List<Finding> findings() {
    namespaces();
    openFiles();
    processes();
    terminals();
    addresses();
    overcommit();
    return findings;
  }

  private void namespaces() {
    var few = new ArrayList<String>();
    boolean none = false;
    for (String kind : NAMESPACES) {
      long max = number("/proc/sys/user/max_" + kind + "_namespaces", Long.MAX_VALUE);
      none |= max == 0;
      if (max < MANY) {
        few.add("user.max_%s_namespaces=%d".formatted(kind, max));
      }
    }
    add(
        none ? Severity.MISSING : few.isEmpty() ? Severity.OK : Severity.WARNING,
        "namespaces",
        few.isEmpty()
            ? "Enough of every kind"
            : "%s: each sandbox takes one of each kind, so there can be no more sandboxes. Raise it with sysctl"
                .formatted(String.join(", ", few)));
  }

  private void openFiles() {
    long limit =
        files
            .read("/proc/self/limits")
            .lines()
            .filter(line -> line.startsWith("Max open files"))
            .map(line -> line.split("\\s{2,}"))
            .filter(words -> words.length > 2)
            .mapToLong(words -> parse(words[2], Long.MAX_VALUE))
            .findFirst()
            .orElse(Long.MAX_VALUE);
    enough(
        limit,
        FILES,
        "open files",
        "a sandbox takes some ten descriptors of the server, and so does each of its streams. Raise it with"
            + " LimitNOFILE= in the server's unit, or ulimit -Hn");
  }

  private void processes() {
    enough(
        number("/proc/sys/kernel/pid_max", Long.MAX_VALUE),
        PROCESSES,
        "processes",
        "all sandboxes share them, and with none left no command starts anywhere. Raise it with sysctl"
            + " kernel.pid_max=4194304");
  }

  private void terminals() {
    enough(
        number("/proc/sys/kernel/pty/max", Long.MAX_VALUE),
        MANY,
        "terminals",
        "all sandboxes share them: one that opens many leaves the others none. Raise it with sysctl"
            + " kernel.pty.max=65536");
  }

  private void addresses() {
    boolean shown = files.read("/proc/sys/kernel/kptr_restrict").equals("0");
    add(
        shown ? Severity.WARNING : Severity.OK,
        "kernel addresses",
        shown
            ? "Shown to everybody on the host: who finds a bug in the kernel needs not guess where things"
                + " are. Hide them with sysctl kernel.kptr_restrict=1"
            : "Hidden");
  }

  private void overcommit() {
    boolean strict = files.read("/proc/sys/vm/overcommit_memory").equals("2");
    add(
        strict ? Severity.WARNING : Severity.OK,
        "overcommit",
        strict
            ? "Off: programs that reserve more memory than they use, as the JVM and many others do, are"
                + " refused it although sandboxes have limits. Set sysctl vm.overcommit_memory=0"
            : "On: memory counts when it is used, and each sandbox has its limit");
  }

  private void enough(long limit, long wanted, String subject, String cost) {
    add(
        limit < wanted ? Severity.WARNING : Severity.OK,
        subject,
        limit < wanted
            ? "At most %d: %s".formatted(limit, cost)
            : limit == Long.MAX_VALUE ? "No limit" : "At most " + limit);
  }

  private long number(String file, long otherwise) {
    return parse(files.read(file), otherwise);
  }

  private static long parse(String text, long otherwise) {
    return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : otherwise;
  }

  private void add(Severity severity, String subject, String detail) {
    findings.add(new Finding(severity, subject, detail));
  }
}
