package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.LocalServer;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * What the launcher runs once after a build, so that the JVM can record in its AOT cache what the
 * everyday verbs load. Verbs may fail here, for example where sandboxes can't be made; then less is
 * recorded.
 */
public final class Rehearsal {
  private static final Duration SERVER_LIMIT = Duration.ofSeconds(30);
  private static final String BOX = "rehearsal";
  private static final int ROUNDS = 150;
  private static final int EXECS_PER_ROUND = 5;

  private Rehearsal() {}

  /** Takes the process id of a server that is starting in {@code COVE_HOME}. */
  public static void main(String[] args) throws InterruptedException {
    Map<String, String> environment = System.getenv();
    awaitServer(environment, Path.of("/proc", args[0]));
    Session session = Main.session();
    play(session, "version");
    play(session, "--help");
    play(session, "create", "--name", BOX);
    play(session, "ls");
    play(session, "ls", "--json");
    play(session, "ps", BOX);
    play(session, "exec", "--interactive", "yes", BOX, "--", "sh", "-c", "cat; echo; echo >&2");
    play(session, "cp", "-", BOX + ":/tmp/" + BOX);
    play(session, "cp", BOX + ":/tmp/" + BOX, "-");
    play(session, "top", "--once");
    play(session, "rm", BOX);
    play(session, "run", "--", "true");
    review(session);
    play(session, "key", "ls");
    play(session, "system", "df");
    play(session, "no-such-verb");
    practise(session);
  }

  /** The loop that people go through all day: run, diff, apply. */
  private static void review(Session session) {
    try {
      Path project = Files.createTempDirectory("cove-" + BOX);
      Path file = Files.writeString(project.resolve(BOX), "1\n2\n3\n");
      play(session, "create", "--name", BOX, "--project", project.toString());
      play(session, "exec", BOX, "--", "sh", "-c", "sed -i s/2/two/ " + BOX);
      play(session, "diff", BOX);
      play(session, "diff", "--stat", BOX);
      play(session, "apply", BOX);
      play(session, "rm", "--now", BOX);
      Files.delete(file);
      Files.delete(project);
    } catch (IOException e) {
      session.note("no review: " + e.getMessage());
    }
  }

  /** What the server does most, often enough that its cache learns which methods are hot. */
  private static void practise(Session session) {
    try (Cove cove = session.connect()) {
      for (int i = 0; i < ROUNDS; i++) {
        try (Sandbox box = cove.sandboxes().create(CreateOptions.defaults())) {
          for (int j = 0; j < EXECS_PER_ROUND; j++) {
            box.exec("true");
          }
          box.files().write("/tmp/" + BOX, BOX);
          box.files().readString("/tmp/" + BOX);
        }
      }
    } catch (CoveException e) {
      session.note("no practice: " + e.getMessage());
    }
  }

  private static void play(Session session, String... args) {
    session.note("rehearsing: cove " + String.join(" ", args));
    new CommandLineFrame(session).run(args);
  }

  private static void awaitServer(Map<String, String> environment, Path process)
      throws InterruptedException {
    long deadline = System.nanoTime() + SERVER_LIMIT.toNanos();
    while (LocalServer.find(environment).isEmpty()
        && Files.exists(process)
        && System.nanoTime() < deadline) {
      Thread.sleep(50);
    }
  }
}
