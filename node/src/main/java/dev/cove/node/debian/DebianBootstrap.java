package dev.cove.node.debian;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A run of mmdebstrap. What it makes comes out as a tar.
 *
 * <p>It runs in mount and process namespaces of its own, so that whatever ends it leaves nothing
 * but its folder, which is below the one that is emptied at each start of the server. It ends with
 * the server, also when that is killed: it would fill the folder again.
 */
public final class DebianBootstrap implements AutoCloseable {
  private static final List<String> PROGRAM =
      List.of(
          "setpriv",
          "--pdeathsig=KILL",
          "unshare",
          "--mount",
          "--pid",
          "--fork",
          "--kill-child=KILL",
          "mmdebstrap");
  private static final String ALWAYS = "ca-certificates,netbase,procps";
  private static final Pattern SUITE = Pattern.compile("[a-z][a-z0-9-]{0,31}");
  private static final Pattern PACKAGE = Pattern.compile("[a-z0-9][a-z0-9+.:-]{0,127}");
  private static final int MAX_PACKAGES = 500;
  private static final int LINES_TOLD = 5;

  private final Process process;
  private final Thread owner;
  private final Deque<String> lastLines = new ArrayDeque<>();

  /** The kernel takes the end of the thread that started it for the end of the server. */
  private DebianBootstrap(ProcessBuilder builder, Consumer<String> progress) throws IOException {
    var starting = new FutureTask<>(builder::start);
    this.owner =
        Thread.ofPlatform().daemon().name("mmdebstrap").unstarted(() -> own(starting, progress));
    owner.start();
    try {
      this.process = starting.get();
      process.getOutputStream().close();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      starting.cancel(false);
      throw unavailable("The server is shutting down", e);
    }
  }

  private void own(FutureTask<Process> starting, Consumer<String> progress) {
    starting.run();
    if (starting.state() == Future.State.SUCCESS) {
      Process started = starting.resultNow();
      follow(started, progress);
      started.onExit().join();
    }
  }

  /**
   * @param suite such as {@code bookworm}
   * @param packages beyond the necessary ones
   * @param leftOut files of packages that are not to be there, as patterns of dpkg's
   */
  public record Wish(String suite, List<String> packages, List<String> leftOut) {
    public Wish(String suite, List<String> packages) {
      this(suite, packages, List.of());
    }

    public Wish {
      packages = List.copyOf(packages);
      leftOut = List.copyOf(leftOut);
      if (!SUITE.matcher(suite).matches()) {
        throw new IllegalArgumentException("A suite is a word in lower case, such as bookworm");
      }
      if (packages.size() > MAX_PACKAGES) {
        throw new IllegalArgumentException("At most %d packages".formatted(MAX_PACKAGES));
      }
      for (String name : packages) {
        if (!PACKAGE.matcher(name).matches()) {
          throw new IllegalArgumentException(
              "A package's name has lower-case letters, digits and + . : -");
        }
      }
    }

    /** The suite of the machine itself. */
    public static Wish ofThisMachine(List<String> packages) {
      return new Wish(hostSuite(), packages);
    }

    public Wish without(List<String> files) {
      return new Wish(suite, packages, files);
    }
  }

  private static String hostSuite() {
    try {
      for (String line : Files.readAllLines(Path.of("/etc/os-release"))) {
        if (line.startsWith("VERSION_CODENAME=")) {
          return line.substring("VERSION_CODENAME=".length()).replace("\"", "");
        }
      }
    } catch (IOException e) {
      throw unavailable("/etc/os-release cannot be read, so name the suite", e);
    }
    throw unavailable("/etc/os-release names no suite, so name one", null);
  }

  /**
   * Starts it.
   *
   * @param folder an empty one to work in, which the caller removes
   * @param progress hears each line it prints
   */
  public static DebianBootstrap start(Wish wish, Path folder, Consumer<String> progress) {
    var command = new ArrayList<>(PROGRAM);
    command.addAll(List.of("--mode=root", "--variant=minbase", "--format=tar"));
    String packages = String.join(",", wish.packages());
    command.add("--include=" + ALWAYS + (packages.isEmpty() ? "" : "," + packages));
    wish.leftOut().forEach(files -> command.add("--dpkgopt=path-exclude=" + files));
    command.addAll(List.of(wish.suite(), "-"));
    command.addAll(sources());
    var builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().clear();
    builder.environment().put("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    builder.environment().put("TMPDIR", folder.toString());
    builder.environment().put("LC_ALL", "C");
    try {
      return new DebianBootstrap(builder, progress);
    } catch (IOException e) {
      throw unavailable("mmdebstrap cannot be run; apt-get install mmdebstrap provides it", e);
    }
  }

  /** The machine's own sources. */
  private static List<String> sources() {
    var found = new ArrayList<String>();
    Path main = Path.of("/etc/apt/sources.list");
    if (Files.isReadable(main)) {
      found.add(main.toString());
    }
    try (var files = Files.newDirectoryStream(Path.of("/etc/apt/sources.list.d"))) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        if (name.endsWith(".list") || name.endsWith(".sources")) {
          found.add(file.toString());
        }
      }
    } catch (IOException _) {
      // there need not be any
    }
    if (found.isEmpty()) {
      throw unavailable("This machine has no package sources in /etc/apt", null);
    }
    return found;
  }

  private void follow(Process started, Consumer<String> progress) {
    try (var lines =
        new BufferedReader(
            new InputStreamReader(started.getErrorStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        synchronized (lastLines) {
          lastLines.addLast(line.length() > 300 ? line.substring(0, 300) : line);
          if (lastLines.size() > LINES_TOLD) {
            lastLines.removeFirst();
          }
        }
        progress.accept(line);
      }
    } catch (IOException _) {
      // it has ended
    }
  }

  public InputStream tar() {
    return process.getInputStream();
  }

  /** Returns when it has ended well. */
  public void await() {
    try {
      int status = process.waitFor();
      owner.join();
      if (status != 0) {
        String said;
        synchronized (lastLines) {
          said = String.join("; ", lastLines);
        }
        throw unavailable("mmdebstrap failed: " + said, null);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unavailable("The server is shutting down", e);
    }
  }

  /** Ends it with all that it started. */
  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    try {
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static CoveException unavailable(String message, @Nullable Throwable cause) {
    return cause == null
        ? new CoveException(ErrorCode.UNAVAILABLE, message + ".")
        : new CoveException(ErrorCode.UNAVAILABLE, message + ".", cause);
  }
}
