package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Checkpoint;
import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.ExecResult;
import dev.cove.sdk.Sandbox;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Layers pile up, and what lies deep is merged: nothing is refused, and nothing looks different.
 */
@Tag("long")
class DeepStacksTest {
  private static final int GENERATIONS = 60;

  /** Every way in which one layer can hide, change or replace what another holds. */
  private static final String STEP =
      """
      set -e
      i=$1; cd /srv
      echo "$i" > current; echo "$i" >> log; echo "$i" > "file-$i"; rm -f "file-$((i - 3))"
      set -- /usr/share/doc/*/copyright; rm -f "$1"
      mkdir -p tree/inner dated; echo "$i" > "tree/inner/$i"; chmod $((700 + i % 8)) tree
      ln -f "file-$i" "tree/link-$i"; ln -sfn "file-$i" newest
      if [ $((i % 5)) = 0 ]; then rm -rf again; mkdir again; echo "$i" > "again/$i"; fi
      if [ $((i % 5)) = 3 ]; then mkdir -p again/more; echo "$i" > "again/more/$i"; fi
      if [ $((i % 7)) = 0 ]; then rm -rf flip; echo file > flip; fi
      if [ $((i % 7)) = 3 ]; then rm -rf flip; mkdir flip; echo "$i" > "flip/$i"; fi
      if [ $((i % 11)) = 0 ]; then rm -rf tree/inner; fi
      if [ $((i % 13)) = 0 ]; then truncate -s 5M holes; echo "$i" >> holes; mkfifo "pipe-$i"; fi
      if [ $((i % 9)) = 0 ]; then cp /bin/true suid; chown 1000:1000 suid; chmod 4755 suid; fi
      if [ $((i % 9)) = 1 ]; then rm -rf /usr/share/doc/b*; mkdir -p /usr/share/doc/bash; fi
      mv "file-$i" "moved-$i"; touch -d "@$i" "moved-$i"
      echo x > "dated/$i"; touch -d "@$i" dated; touch -d @1 .
      """;

  private static final String LOOK =
      """
      find /srv /usr/share/doc -type d -printf '%p %m %U %G\\n' -o -printf '%p %y %m %U %G %n %l\\n' |
        LC_ALL=C sort
      find /srv /usr/share/doc -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum
      find /srv -name 'moved-*' -printf '%p %T@ %s\\n' -o -name dated -printf '%p %T@\\n' |
        LC_ALL=C sort
      stat -c '%s' /srv/holes; [ "$(stat -c %b /srv/holes)" -lt 1000 ] && echo sparse
      """;

  @RegisterExtension static final RunningServer server = RunningServer.withDefaults();

  private static String run(Sandbox box, String script) {
    ExecResult result = box.exec(Command.shell(script).user("root"));
    assertThat(result.exitCode()).as(result.stderr()).isZero();
    return result.stdout();
  }

  /** The step of each of these generations, one after the other. */
  private static String steps(int from, int to) {
    return "step() (\n%s)\nset -e; for n in $(seq %d %d); do step $n; done"
        .formatted(STEP, from, to);
  }

  private static int depth(Sandbox box) {
    Checkpoint now = box.checkpoint();
    server.cove().checkpoints().delete(now.id());
    return now.layers();
  }

  @Test
  void sixty_generations_of_forks_see_what_one_sandbox_would() throws Exception {
    int deepest = 0;
    Sandbox line = server.create();
    try (Sandbox alone = server.create()) {
      for (int i = 1; i <= GENERATIONS; i++) {
        run(line, steps(i, i));
        Sandbox child = line.fork();
        line.close();
        line = child;
        if (i % 10 == 0) {
          deepest = Math.max(deepest, depth(line));
        }
      }
      run(alone, steps(1, GENERATIONS));
      String expected = run(alone, LOOK);
      assertThat(expected).contains("sparse", "/srv/suid f 4755 1000 1000", "/srv/holes");
      assertThat(run(line, LOOK)).isEqualTo(expected);
      assertThat(deepest).isBetween(20, 40);
      assertThat(Files.readString(server.log())).contains("16 merged in");
      server.kill();
      server.start();
      try (Sandbox again = server.cove().sandboxes().require(line.id()).fork()) {
        assertThat(run(again, LOOK)).isEqualTo(expected);
      }
      server.cove().sandboxes().require(alone.detach().id()).delete();
    }
    server.cove().sandboxes().require(line.id()).delete();
  }

  @Test
  void a_dockerfile_of_sixty_steps_builds() throws Exception {
    var dockerfile = new StringBuilder("FROM host\nUSER root\n");
    for (int i = 1; i <= 60; i++) {
      dockerfile.append(
          "RUN echo %1$d >> /srv/all; echo %1$d > /srv/f%1$d; rm -f /srv/f%2$d\n"
              .formatted(i, i - 2));
    }
    try (var templates = new TemplateCalls(server)) {
      var files = new TestImage.Layer().file("Dockerfile", dockerfile.toString());
      HttpResponse<String> reply = templates.fromContext("name=sixty", files);
      assertThat(reply.statusCode()).as(reply.body()).isEqualTo(201);
      try (Sandbox box = server.create(CreateOptions.defaults().template("sixty"))) {
        assertThat(run(box, "wc -l < /srv/all; cd /srv; echo *")).isEqualTo("60\nall f59 f60\n");
        box.checkpoint();
      } finally {
        server.cove().checkpoints().list().forEach(o -> server.cove().checkpoints().delete(o.id()));
        templates.removeAll();
      }
    }
  }
}
