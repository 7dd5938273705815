package dev.cove.e2e;

import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.Cove;
import dev.cove.sdk.SandboxInfo;
import dev.cove.sdk.Template;
import dev.cove.sdk.Volume;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Compares what a server says there is with what is there: each file of its home, and each cgroup,
 * loop device and process of it, must belong to something that is listed.
 */
final class HomeAudit {
  private static final Set<String> IN_SANDBOX =
      Set.of("record", "process", "root", "image", "volumes");
  private static final Set<String> IN_DATA =
      Set.of(
          "builds",
          "engine",
          "logs",
          "networks",
          "reviews",
          "secrets",
          "templates",
          "e2b.key",
          "webhooks.key",
          "workspaces",
          "lib",
          "local.key",
          "server.lock");
  private static final Set<String> RESTING = Set.of("paused", "stopped");
  private static final Pattern BASE_IMAGE = Pattern.compile("ext4-[0-9]+");
  private static final Pattern PROGRAM = Pattern.compile("cove-[a-z]+-[0-9a-f]{16}");
  private static final Pattern SPARE = Pattern.compile("[0-9]+");

  private final RunningServer server;
  private final List<String> faults = new ArrayList<>();
  private final boolean mayRest;
  private final Set<String> sandboxes = new HashSet<>();
  private final Set<String> stopped = new HashSet<>();
  private final Set<String> volumes = new HashSet<>();

  private HomeAudit(RunningServer server, boolean mayRest) {
    this.server = server;
    this.mayRest = mayRest;
  }

  /** What does not fit together, for people; empty when all is well. */
  static List<String> faultsOf(RunningServer server) throws IOException {
    return faultsOf(server, false);
  }

  /** The same where sandboxes may be paused or stopped. */
  static List<String> faultsWithRest(RunningServer server) throws IOException {
    return faultsOf(server, true);
  }

  private static List<String> faultsOf(RunningServer server, boolean mayRest) throws IOException {
    var audit = new HomeAudit(server, mayRest);
    audit.readLists();
    audit.admitWarmCages();
    audit.lookAtDisk();
    audit.lookAtKernel();
    return audit.faults;
  }

  private void readLists() {
    Cove cove = server.cove();
    for (SandboxInfo box : cove.sandboxes().list()) {
      sandboxes.add(box.id());
      if (box.state().equals("stopped")) {
        stopped.add(box.id());
      }
      if (!box.state().equals("running") && !(mayRest && RESTING.contains(box.state()))) {
        faults.add(
            "sandbox %s (%s) is %s: %s".formatted(box.id(), box.name(), box.state(), box.reason()));
      }
    }
    for (Volume volume : cove.volumes().list()) {
      volumes.add(volume.id());
      cove.volumes().checkpoints(volume.id()).forEach(one -> volumes.add(one.id()));
    }
    if (cove.disk().unused().count() > 0) {
      faults.add("layers that nobody needs: " + cove.disk().unused().count());
    }
    for (Checkpoint checkpoint : cove.checkpoints().list()) {
      requireLayers("checkpoint " + checkpoint.id(), checkpoint.layers());
    }
    for (Template template : cove.templates().list()) {
      if (!template.builtIn()) {
        requireLayers("template " + template.reference(), template.layers());
      }
    }
  }

  /** Nobody's yet, but the server says how many there are. */
  private void admitWarmCages() throws IOException {
    Set<String> others = names(server.home().resolve("data/engine/sandboxes"));
    others.removeAll(sandboxes);
    if (others.size() == server.cove().system().warm()) {
      sandboxes.addAll(others);
    }
  }

  /** Those of which processes are there. */
  private Set<String> standing() {
    var standing = new HashSet<>(sandboxes);
    standing.removeAll(stopped);
    return standing;
  }

  private void requireLayers(String what, int layers) {
    if (layers == 0) {
      faults.add(what + " has no layers");
    }
  }

  private void lookAtDisk() throws IOException {
    Path data = server.home().resolve("data");
    for (String name : names(data)) {
      if (!IN_DATA.contains(name) && !name.startsWith("ledger")) {
        faults.add("file data/" + name);
      }
    }
    Path engine = data.resolve("engine");
    expect(engine.resolve("sandboxes"), sandboxes);
    for (String id : sandboxes) {
      names(engine.resolve("sandboxes").resolve(id)).stream()
          .filter(name -> !IN_SANDBOX.contains(name) && !name.startsWith("hidden-"))
          .forEach(name -> faults.add("file %s in the folder of sandbox %s".formatted(name, id)));
    }
    expect(engine.resolve("volumes"), volumes);
    expect(data.resolve("builds"), Set.of());
    expect(
        server.home().resolve("run/s"),
        Set.copyOf(standing().stream().map(id -> id + ".sock").toList()));
    names(data.resolve("networks")).stream()
        .filter(name -> !sandboxes.contains(name.replaceFirst("\\..*", "")))
        .forEach(name -> faults.add("file networks/" + name));
    names(data.resolve("logs")).stream()
        .filter(name -> !sandboxes.contains(name))
        .forEach(name -> faults.add("logs of " + name));
    names(data.resolve("workspaces")).stream()
        .filter(name -> !sandboxes.contains(name))
        .forEach(name -> faults.add("projects of " + name));
    expectLike(engine.resolve("base"), BASE_IMAGE);
    expectLike(engine.resolve("bin"), PROGRAM);
    expectLike(engine.resolve("spare"), SPARE);
    lookAtLayers(engine.resolve("sealed"));
    names(data.resolve("templates/host")).stream()
        .filter(name -> name.endsWith(".partial"))
        .forEach(name -> faults.add("half a template " + name));
  }

  /** Each image has a record and each record an image, and there is nothing else. */
  private void lookAtLayers(Path folder) throws IOException {
    Set<String> all = names(folder);
    for (String name : all) {
      String image = name.replaceFirst("\\.layer$", "");
      if (image.contains(".") || !all.contains(image) || !all.contains(image + ".layer")) {
        faults.add("file sealed/" + name);
      }
    }
    int listed = server.cove().disk().layers().count();
    if (all.size() != 2 * listed) {
      faults.add("%d files for %d layers".formatted(all.size(), listed));
    }
  }

  private void lookAtKernel() throws IOException {
    for (Path group : server.cgroups()) {
      try (var entries = Files.newDirectoryStream(group, Files::isDirectory)) {
        for (Path entry : entries) {
          String name = entry.getFileName().toString();
          if (!standing().contains(name)) {
            faults.add("cgroup " + entry);
          }
        }
      } catch (NoSuchFileException e) {
        faults.add("no cgroup " + group); // a server that starts may just be making it anew
      }
    }
    try (var devices = Files.newDirectoryStream(Path.of("/sys/block"), "loop*")) {
      for (Path device : devices) {
        String image = read(device.resolve("loop/backing_file")).strip();
        if (image.startsWith(server.home() + "/") && image.endsWith(" (deleted)")) {
          faults.add("loop device of %s, mounted by %s".formatted(image, mountersOf(device)));
        }
      }
    }
    if (read(Path.of("/proc/self/mountinfo")).contains(server.home() + "/")) {
      faults.add("a mount on the host");
    }
    lookAtProcesses();
  }

  /** Processes that have it in their mount namespace, which tells whose it is. */
  private static List<String> mountersOf(Path device) {
    String mount = " /dev/" + device.getFileName() + " ";
    return ProcessHandle.allProcesses()
        .map(ProcessHandle::pid)
        .filter(pid -> read(Path.of("/proc", pid.toString(), "mountinfo")).contains(mount))
        .map(pid -> pid + " " + HostProcesses.commandLine(pid))
        .toList();
  }

  /** Beside those in the cgroups of sandboxes there are the server and its spawner. */
  private void lookAtProcesses() throws IOException {
    Set<Long> known =
        Set.of(server.pid(), HostProcesses.spawnerOf(server.pid()), ProcessHandle.current().pid());
    for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
      Path folder = Path.of("/proc", Long.toString(process.pid()));
      String told = read(folder.resolve("cmdline")) + read(folder.resolve("environ"));
      boolean inSandbox = sandboxes.stream().anyMatch(read(folder.resolve("cgroup"))::contains);
      if (told.contains(server.home() + "/") && !known.contains(process.pid()) && !inSandbox) {
        faults.add("process " + process.pid() + " " + told.replace('\0', ' '));
      }
    }
  }

  private void expect(Path folder, Set<String> wanted) throws IOException {
    Set<String> found = names(folder);
    if (!found.equals(wanted)) {
      faults.add("%s holds %s and should hold %s".formatted(folder, found, wanted));
    }
  }

  private void expectLike(Path folder, Pattern pattern) throws IOException {
    names(folder).stream()
        .filter(name -> !pattern.matcher(name).matches())
        .forEach(name -> faults.add("file " + folder.resolve(name)));
  }

  private static Set<String> names(Path folder) throws IOException {
    try (var entries = Files.newDirectoryStream(folder)) {
      var names = new HashSet<String>();
      entries.forEach(entry -> names.add(entry.getFileName().toString()));
      return names;
    } catch (NoSuchFileException e) {
      return new HashSet<>();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return ""; // it went meanwhile
    }
  }
}
