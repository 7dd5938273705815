package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What belongs to the people of the host, and the host's own identity, is not in a sandbox. */
class HostPrivacyTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @Test
  void files_of_the_hosts_people_are_nowhere_to_be_found() throws IOException {
    String canary = "cove-e2e-canary-" + UUID.randomUUID();
    var planted = new ArrayList<Path>();
    try {
      for (String folder : List.of("/root", "/home", "/tmp", "/opt", "/srv", "/etc", "/var/lib")) {
        Path file = Path.of(folder, canary);
        planted.add(file);
        Files.writeString(file, canary);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
      }
      try (Sandbox box = server.create()) {
        Command search =
            Command.of("find", "/", "-path", "/proc", "-prune", "-o", "-name", canary, "-print")
                .user("root");
        assertThat(box.exec(search).stdout()).isEmpty();
        for (Path file : planted) {
          assertThat(box.files().as("root").exists(file.toString())).as(file.toString()).isFalse();
        }
      }
    } finally {
      for (Path file : planted) {
        Files.deleteIfExists(file);
      }
    }
  }

  @Test
  void password_hashes_and_accounts_of_the_host_are_not_inside() throws IOException {
    try (Sandbox box = server.create()) {
      String inside = asRoot(box, "cat /etc/shadow /etc/shadow- /etc/gshadow 2>/dev/null; true");
      for (String line : Files.readAllLines(Path.of("/etc/shadow"))) {
        String hash = line.split(":", -1)[1];
        if (hash.length() > 3) {
          assertThat(inside).doesNotContain(hash);
        }
      }
      assertThat(inside).doesNotContain("$y$").doesNotContain("$6$");
      try (var homes = Files.list(Path.of("/home"))) {
        for (Path home : homes.toList()) {
          assertThat(box.files().as("root").exists(home.toString())).as("%s", home).isFalse();
        }
      }
      assertThat(asRoot(box, "ls /home").strip()).isEqualTo("user");
    }
  }

  @Test
  void keys_of_the_host_are_not_inside() {
    try (Sandbox box = server.create()) {
      String found =
          asRoot(
              box,
              "ls -d /etc/ssh/ssh_host_* /root/.ssh /root/.config /root/.gitconfig /root/.npmrc"
                  + " /etc/ssl/private/* /etc/krb5.keytab 2>/dev/null; true");
      assertThat(found).isEmpty();
    }
  }

  @Test
  void each_sandbox_has_a_machine_id_of_its_own() throws IOException {
    try (Sandbox one = server.create();
        Sandbox other = server.create()) {
      String first = one.files().readString("/etc/machine-id").strip();
      String second = other.files().readString("/etc/machine-id").strip();
      assertThat(first).matches("[0-9a-f]{32}");
      assertThat(second).matches("[0-9a-f]{32}").isNotEqualTo(first);
      Path ours = Path.of("/etc/machine-id");
      if (Files.exists(ours)) {
        assertThat(List.of(first, second)).doesNotContain(Files.readString(ours).strip());
      }
    }
  }

  @Test
  void each_start_is_a_boot_of_its_own_and_the_hosts_is_not_told() throws IOException {
    String file = "/proc/sys/kernel/random/boot_id";
    try (Sandbox box = server.create()) {
      String first = box.exec("cat", file).stdout();
      assertThat(first.strip()).matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
      assertThat(first).isNotEqualTo(Files.readString(Path.of(file)));
      assertThat(box.exec("cat", file).stdout()).isEqualTo(first);
      box.stop();
      box.start();
      assertThat(box.exec("cat", file).stdout()).isNotEqualTo(first);
    }
  }

  @Test
  void a_sandbox_is_named_after_its_id_and_can_resolve_itself() {
    try (Sandbox box = server.create()) {
      assertThat(box.exec("uname", "-n").stdout().strip()).isEqualTo(box.id());
      assertThat(box.files().readString("/etc/hostname").strip()).isEqualTo(box.id());
      String resolve = "import socket; print(socket.gethostbyname(socket.gethostname()))";
      assertThat(box.exec("python3", "-c", resolve).stdout()).startsWith("127.");
      assertThat(box.exec("getent", "hosts", "localhost").exitCode()).isZero();
    }
  }

  @Test
  void a_command_sees_no_variable_of_the_server() {
    try (Sandbox box = server.create()) {
      Map<String, String> ours = System.getenv();
      List<String> lines = box.exec("env").stdout().lines().toList();
      assertThat(lines).anyMatch(line -> line.startsWith("PATH="));
      assertThat(lines).contains("HOME=/home/user");
      assertThat(lines).noneMatch(line -> line.startsWith("COVE_") || line.startsWith("JAVA"));
      assertThat(lines).hasSizeLessThan(Math.max(12, ours.size()));
      assertThat(String.join("\n", lines)).doesNotContain(server.home().toString());
    }
  }

  private static String asRoot(Sandbox box, String script) {
    return box.exec(Command.shell(script).user("root")).stdout();
  }
}
