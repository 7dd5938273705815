package dev.cove.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(180)
class TreeTest {
  @RegisterExtension final RunningAgent agent = new RunningAgent();

  private void run(String script) throws IOException, InterruptedException {
    Process shell =
        new ProcessBuilder("python3", "-c", script)
            .directory(agent.work().toFile())
            .inheritIO()
            .start();
    assertThat(shell.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(shell.exitValue()).isZero();
  }

  @Test
  void a_tree_of_ten_thousand_levels_is_removed() throws Exception {
    run(
        """
        import os
        os.mkdir('deep'); os.chdir('deep')
        for i in range(10000):
            os.mkdir('d'); open('f', 'w').close(); os.chdir('d')
        """);
    agent.link().files("root").remove(agent.work().resolve("deep").toString(), true);
    assertThat(agent.work().resolve("deep")).doesNotExist();
  }

  @Test
  void a_wide_tree_is_removed_while_other_calls_are_served() throws Exception {
    run(
        """
        import os
        for d in range(400):
            os.makedirs('wide/d%d/sub' % d)
            for f in range(100):
                open('wide/d%d/f%d' % (d, f), 'w').close()
        """);
    GuestFiles files = agent.link().files("root");
    Thread removal =
        Thread.startVirtualThread(
            () -> files.remove(agent.work().resolve("wide").toString(), true));
    while (removal.isAlive()) {
      long before = System.nanoTime();
      assertThat(files.stat("/", true).type()).isEqualTo(FileInfo.Type.FOLDER);
      assertThat(System.nanoTime() - before).isLessThan(TimeUnit.SECONDS.toNanos(5));
    }
    assertThat(agent.work().resolve("wide")).doesNotExist();
  }

  @Test
  void links_in_a_tree_are_removed_and_never_followed() throws Exception {
    run(
        """
        import os
        os.makedirs('outside/kept'); open('outside/kept/f', 'w').close()
        os.makedirs('tree/a/b')
        os.symlink(os.getcwd() + '/outside', 'tree/a/b/link')
        os.symlink('../../..', 'tree/a/up')
        os.symlink('nowhere', 'tree/broken')
        """);
    agent.link().files("root").remove(agent.work().resolve("tree").toString(), true);
    assertThat(agent.work().resolve("tree")).doesNotExist();
    assertThat(agent.work().resolve("outside/kept/f")).exists();
  }

  @Test
  void a_large_listing_comes_in_pieces() throws Exception {
    run(
        """
        import os
        os.mkdir('many')
        for i in range(20000):
            open('many/file-with-a-name-of-some-length-%d' % i, 'w').close()
        """);
    GuestFiles files = agent.link().files("root");
    String path = agent.work().resolve("many").toString();
    assertThat(files.list(path, 1, 100_000).entries()).hasSize(20_000);
    assertThat(files.list(path, 1, 5_000).truncated()).isTrue();
    assertThat(agent.residentKilobytes()).isLessThan(4 * 1024);
    files.remove(path, true);
    assertThat(Files.exists(agent.work().resolve("many"))).isFalse();
  }
}
