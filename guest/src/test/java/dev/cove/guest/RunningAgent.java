package dev.cove.guest;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The real agent as an ordinary process of this machine, with a socket and a folder of its own.
 *
 * <p>Ends with all its commands, whatever the test did.
 */
final class RunningAgent implements BeforeEachCallback, AfterEachCallback {
  static final Duration PATIENCE = Duration.ofSeconds(20);

  private final List<String> options;
  private final boolean emptyRoot;
  private final List<GuestLink> links = new ArrayList<>();
  private Optional<Process> process = Optional.empty();
  private Path folder = Path.of("/nonexistent");
  private Path work = Path.of("/nonexistent");

  RunningAgent(String... options) {
    this(false, List.of(options));
  }

  private RunningAgent(boolean emptyRoot, List<String> options) {
    this.emptyRoot = emptyRoot;
    this.options = options;
  }

  /** As pid 1 of a root that holds nothing but the agent: no shell, no /dev, no /proc, no /etc. */
  static RunningAgent inAnEmptyRoot() {
    return new RunningAgent(true, List.of());
  }

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    folder = makeFolder(Path.of(System.getProperty("java.io.tmpdir")));
    Path program = folder.resolve("cove-agent");
    Files.write(program, AgentBinary.forThisMachine().bytes());
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    work = emptyRoot ? Files.createDirectory(folder.resolve("work")) : makeFolder(roomy());
    Files.setPosixFilePermissions(work, PosixFilePermissions.fromString("rwxrwxrwx"));
    List<String> command = new ArrayList<>();
    if (emptyRoot) {
      command.addAll(List.of("unshare", "--pid", "--fork", "--kill-child", "chroot"));
      command.addAll(List.of(folder.toString(), "/cove-agent", "--socket", "/agent.sock"));
    } else {
      command.addAll(List.of(program.toString(), "--socket", socket().toString()));
    }
    command.addAll(options);
    start(command);
  }

  private static Path makeFolder(Path parent) throws IOException {
    return Files.createTempDirectory(
        parent,
        "cove-agent",
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
  }

  /** In memory where there is room: these tests are not about the speed of a disk. */
  private static Path roomy() throws IOException {
    Path memory = Path.of("/dev/shm");
    boolean room =
        Files.isDirectory(memory) && Files.getFileStore(memory).getUsableSpace() > (4L << 30);
    return room ? memory : Path.of(System.getProperty("java.io.tmpdir"));
  }

  private void start(List<String> command) throws IOException, InterruptedException {
    process =
        Optional.of(
            new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("agent.log").toFile())
                .start());
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!Files.exists(socket())) {
      if (!process.get().isAlive() || System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "The agent did not start: " + Files.readString(folder.resolve("agent.log")));
      }
      process.get().waitFor(1, TimeUnit.MILLISECONDS);
    }
  }

  private Path socket() {
    return folder.resolve("agent.sock");
  }

  /** A folder that any user may write to. */
  Path work() {
    return work;
  }

  long pid() {
    return emptyRoot
        ? process.orElseThrow().children().findFirst().orElseThrow().pid()
        : process.orElseThrow().pid();
  }

  boolean isAlive() {
    return process.orElseThrow().isAlive();
  }

  /** How many processes have the agent as their parent, zombies among them. */
  int children() throws IOException {
    String list = Files.readString(Path.of("/proc/" + pid() + "/task/" + pid() + "/children"));
    return list.isBlank() ? 0 : list.trim().split(" ").length;
  }

  /** How many grandchildren of the agent sleep. */
  long sleepers() {
    return process
        .orElseThrow()
        .descendants()
        .filter(p -> p.info().command().orElse("").endsWith("sleep"))
        .count();
  }

  long residentKilobytes() throws IOException {
    return Files.readAllLines(Path.of("/proc/" + pid() + "/status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
  }

  static boolean isRunning(long pid) throws IOException {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  SocketChannel connect() throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    channel.connect(UnixDomainSocketAddress.of(socket()));
    return channel;
  }

  GuestLink link() throws IOException {
    GuestLink link = GuestLink.open(connect(), PATIENCE);
    links.add(link);
    return link;
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    links.forEach(GuestLink::close);
    links.clear();
    if (process.isPresent()) {
      if (emptyRoot) {
        process.get().destroyForcibly(); // unshare takes pid 1 with it, and that all others
      } else {
        process.get().destroy(); // it kills its commands and leaves
      }
      if (!process.get().waitFor(20, TimeUnit.SECONDS)) {
        process.get().destroyForcibly().waitFor();
      }
    }
    delete(work);
    delete(folder);
  }

  private static void delete(Path tree) throws IOException {
    if (!Files.exists(tree)) {
      return;
    }
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
