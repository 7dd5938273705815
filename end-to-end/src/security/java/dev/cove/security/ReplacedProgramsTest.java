package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.e2e.RunningServer;
import dev.cove.sdk.Command;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.RunningCommand;
import dev.cove.security.HostView.HostProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changing the programs that others run: the sandbox's own, the shared ones, the agent. */
class ReplacedProgramsTest {
  @RegisterExtension static final RunningServer SERVER = RunningServer.withDefaults();

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Test
  void replaced_shells_and_loaders_are_run_by_their_own_sandbox_only() throws Exception {
    Path shell = Path.of("/usr/bin/dash").toRealPath();
    Path loader = Path.of("/lib64/ld-linux-x86-64.so.2").toRealPath();
    String shellBefore = sha256(shell);
    String loaderBefore = sha256(loader);
    try (var intruder = Intruder.in(SERVER.cove());
        var bystander = Bystander.in(SERVER.cove());
        var canary = HostCanary.plant()) {
      String agentBefore = sha256(agent(intruder));
      String hunter = intruder.install("overwrite");
      intruder.must("root", "rm " + shell + " && cp " + hunter + " " + shell);
      assertThat(intruder.run("root", "/bin/sh", "0").stdout()).contains("written 0");

      bystander.unharmedBy(() -> {
        try (RunningCommand hunt =
            intruder.box().start(Command.of(hunter, "5").user("root").timeout(PATIENCE))) {
          replace(intruder, shell, "#!/proc/self/exe\n");
          useEverything(intruder);
          replace(intruder, loader, "#!/proc/1/exe\n");
          useEverything(intruder);
          assertThat(findings(hunt)).containsEntry("written", "0");
        }
      });

      assertThat(sha256(shell)).isEqualTo(shellBefore);
      assertThat(sha256(loader)).isEqualTo(loaderBefore);
      assertThat(sha256(agent(intruder))).isEqualTo(agentBefore);
      canary.assertUntouched();
    }
    try (var fresh = Intruder.in(SERVER.cove())) {
      fresh.assertUsable();
    }
  }

  private static void replace(Intruder intruder, Path program, String content) {
    intruder.files("root").write(program.toString(), content);
    intruder.files("root").chmod(program.toString(), "0755");
  }

  /** Whatever the commands do now, the server gets an answer and files still work. */
  private static void useEverything(Intruder intruder) {
    for (int i = 0; i < 25; i++) {
      for (String program : List.of("/bin/sh", "true")) {
        try {
          intruder.box().exec(Command.of(program).timeout(Duration.ofSeconds(5)));
        } catch (CoveApiException e) {
          assertThat(e.status()).as(e.detail()).isEqualTo(422);
        }
      }
      intruder.files("user").write("/tmp/file", "content " + i);
      assertThat(intruder.files("user").readString("/tmp/file")).isEqualTo("content " + i);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void the_agents_program_cannot_be_opened_for_writing(String user) throws Exception {
    try (var intruder = Intruder.in(SERVER.cove())) {
      String hunter = intruder.install("overwrite");
      intruder.must("root", "printf '#!/proc/self/exe\\n' > /opt/again && chmod 755 /opt/again");
      String before = sha256(agent(intruder));

      try (RunningCommand hunt =
          intruder.box().start(Command.of(hunter, "3").user(user).timeout(PATIENCE))) {
        while (hunt.waitFor(Duration.ZERO).isEmpty()) {
          try {
            intruder.box().exec(Command.of("/opt/again").user(user).timeout(Duration.ofSeconds(5)));
          } catch (CoveApiException e) {
            assertThat(e.status()).isEqualTo(422);
          }
        }
        assertThat(findings(hunt)).containsEntry("written", "0");
      }
      assertThat(sha256(agent(intruder))).isEqualTo(before);
      intruder.assertUsable();
    }
  }

  @Test
  void writes_to_shared_programs_stay_in_one_sandbox() throws Exception {
    Path program = Path.of("/usr/bin/env").toRealPath();
    String before = sha256(program);
    try (var intruder = Intruder.in(SERVER.cove());
        var neighbour = Intruder.in(SERVER.cove())) {
      String rewrite = intruder.install("rewrite");
      assertThat(insideHash(intruder, program)).isEqualTo(before);

      for (String user : Intruder.USERS) {
        assertThat(intruder.run(user, rewrite, program.toString()).exitCode()).isZero();
        assertThat(insideHash(intruder, program)).isEqualTo(before);
      }
      // Allowed for root, in its own copy: this shows that the program can write at all.
      assertThat(intruder.run("root", rewrite, program.toString(), "reopen").exitCode()).isZero();
      assertThat(insideHash(intruder, program)).isNotEqualTo(before);

      assertThat(insideHash(neighbour, program)).isEqualTo(before);
      assertThat(sha256(program)).isEqualTo(before);
    }
  }

  private static Map<String, String> findings(RunningCommand hunt) throws IOException {
    return Intruder.findings(new String(hunt.stdout().readAllBytes(), StandardCharsets.UTF_8));
  }

  private static String insideHash(Intruder intruder, Path program) {
    return intruder.run("user", "sha256sum", program.toString()).stdout().split(" ")[0];
  }

  /** The agent's program as the host sees it. */
  private static Path agent(Intruder intruder) throws IOException {
    for (HostProcess process : HostView.processesOf(intruder.id())) {
      if (process.field("NSpid").matches("\\d+\\s+1")) {
        return process.proc().resolve("exe");
      }
    }
    throw new AssertionError("The sandbox has no pid 1");
  }

  private static String sha256(Path file) throws IOException, NoSuchAlgorithmException {
    return HexFormat.of()
        .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
  }
}
