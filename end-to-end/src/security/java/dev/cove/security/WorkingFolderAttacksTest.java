package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cove.e2e.RunningServer;
import dev.cove.sdk.Command;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.ExecResult;
import dev.cove.sdk.RunningCommand;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A working folder that is, or once was, a way to somewhere else. */
class WorkingFolderAttacksTest {
  @RegisterExtension static final RunningServer SERVER = RunningServer.withDefaults();

  @SuppressWarnings("NullAway.Init") // set before every test
  private Intruder intruder;

  @BeforeEach
  void start() {
    intruder = Intruder.in(SERVER.cove());
  }

  @AfterEach
  void end() {
    intruder.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void a_descriptor_is_no_way_out(String user) throws Exception {
    assertThat(in(user, "/tmp").stdout()).startsWith("/tmp\n");

    try (var canary = HostCanary.plant()) {
      var folders = new ArrayList<String>();
      for (int fd = 0; fd <= 64; fd++) {
        folders.add("/proc/self/fd/" + fd);
        folders.add("/proc/1/fd/" + fd);
      }
      intruder.must("root", "ln -s /proc/self/fd /opt/fds && ln -s /proc/1/root /opt/agents-root");
      for (int fd = 3; fd <= 12; fd++) {
        folders.add("/opt/fds/" + fd);
        folders.add("/opt/fds/" + fd + "/../../..");
      }
      folders.addAll(
          List.of(
              "/..",
              "/../../../../../..",
              "/proc/self/root/..",
              "/proc/self/root/../../.." + canary.folder(),
              "/proc/1/root",
              "/proc/1/root" + canary.folder(),
              "/proc/1/cwd",
              "/proc/self/cwd",
              "/proc/thread-self/cwd/..",
              "/opt/agents-root",
              "/opt/agents-root" + canary.folder(),
              canary.folder().toString()));
      for (String folder : folders) {
        assertInsideOrRefused(user, folder, canary);
      }
      canary.assertUntouched();
    }
    intruder.assertUsable();
  }

  private void assertInsideOrRefused(String user, String folder, HostCanary canary) {
    ExecResult result;
    try {
      result = in(user, folder);
    } catch (CoveApiException e) {
      assertThat(e.status()).as(folder).isEqualTo(422);
      return;
    }
    String where = result.stdout().lines().findFirst().orElse("");
    assertThat(where).as("the folder behind %s", folder).startsWith("/");
    assertThat(result.stdout()).as(folder).doesNotContain("unreachable").contains("root=same");
    assertThat(result.stdout()).as(folder).doesNotContain(canary.folder().getFileName().toString());
    canary.assertNotIn(result.stdoutBytes());
  }

  /** Says where it is, whether its root is the one of other commands, and what can be seen. */
  private ExecResult in(String user, String folder) {
    String look =
        """
        pwd -P
        readlink /proc/self/cwd
        test "$(stat -c %d:%i /)" = "$(stat -c %d:%i /../..)" && echo root=same
        ls -a . .. /tmp
        cat canary 2>/dev/null || true
        """;
    return intruder.box().exec(Command.shell(look).cwd(folder).user(user));
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void a_folder_that_was_removed_is_refused(String user) {
    intruder.must(user, "mkdir -p /tmp/gone-" + user);
    try (RunningCommand inside =
        intruder.box().start(Command.of("sleep", "60").cwd("/tmp/gone-" + user).user(user))) {
      String link = "/proc/" + inside.pid() + "/cwd";
      assertThat(in(user, link).stdout()).startsWith("/tmp/gone-" + user);
      intruder.must(user, "rmdir /tmp/gone-" + user);

      CoveApiException refused = catchThrowableOfType(CoveApiException.class, () -> in(user, link));
      assertThat(refused.status()).isEqualTo(422);
    }
  }

  @Test
  void a_file_a_pipe_or_a_device_is_no_working_folder() {
    intruder.must("user", "mkfifo /tmp/pipe");
    for (String path : List.of("/etc/passwd", "/dev/null", "/tmp/pipe", "/no/such/folder")) {
      CoveApiException refused =
          catchThrowableOfType(CoveApiException.class, () -> in("user", path));
      assertThat(refused.status()).as(path).isEqualTo(422);
    }
  }
}
