package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.cove.sdk.Command;
import dev.cove.sdk.ExecResult;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The template that every machine has: the host's own programs. */
class HostTemplateTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @Test
  void python_runs_with_its_standard_library() {
    try (Sandbox box = server.create()) {
      String program = "import json, ssl, sqlite3, subprocess; print(json.dumps({'a': 1}))";
      assertThat(succeed(box.exec("python3", "-c", program)).stdout()).isEqualTo("{\"a\": 1}\n");
    }
  }

  @Test
  void git_makes_a_repository_and_a_commit() {
    try (Sandbox box = server.create()) {
      String work =
          """
          set -e
          git init -q repo && cd repo
          git config user.name Agent && git config user.email agent@example.org
          echo hello > greeting && git add greeting && git commit -q -m 'Greet'
          git log --format=%s
          git status --porcelain
          """;
      assertThat(succeed(box.exec(Command.shell(work))).stdout()).isEqualTo("Greet\n");
    }
  }

  @Test
  void node_runs_where_the_host_has_it() {
    assumeTrue(Files.exists(Path.of("/usr/bin/node")), "this host has no node");
    try (Sandbox box = server.create()) {
      assertThat(succeed(box.exec("node", "-e", "console.log(6 * 7)")).stdout()).isEqualTo("42\n");
    }
  }

  @Test
  void apt_and_dpkg_know_the_installed_packages() {
    try (Sandbox box = server.create()) {
      ExecResult listed = succeed(box.exec("dpkg-query", "-W", "-f", "${Status}", "bash"));
      assertThat(listed.stdout()).isEqualTo("install ok installed");
      succeed(box.exec(Command.of("apt-get", "check").user("root")));
      assertThat(succeed(box.exec("apt-cache", "policy", "bash")).stdout()).contains("Installed:");
    }
  }

  @Test
  void a_package_that_is_installed_inside_changes_nothing_outside(@TempDir Path folder)
      throws Exception {
    byte[] deb = buildPackage(folder);
    try (Sandbox box = server.create();
        Sandbox sibling = server.create()) {
      box.files().as("root").write("/tmp/hello.deb", deb);
      succeed(box.exec(Command.of("dpkg", "-i", "/tmp/hello.deb").user("root")));
      assertThat(succeed(box.exec("cove-e2e-hello")).stdout()).isEqualTo("hello from a package\n");
      assertThat(box.files().readString("/var/lib/cove-e2e-hello/configured")).isEqualTo("yes\n");

      assertThat(sibling.exec("sh", "-c", "command -v cove-e2e-hello").exitCode()).isNotZero();
      assertThat(Path.of("/usr/bin/cove-e2e-hello")).doesNotExist();
      assertThat(Path.of("/etc/cove-e2e-hello.conf")).doesNotExist();
      assertThat(Path.of("/var/lib/cove-e2e-hello")).doesNotExist();
      assertThat(Files.readString(Path.of("/var/lib/dpkg/status")))
          .doesNotContain("Package: cove-e2e-hello");

      succeed(box.exec(Command.of("dpkg", "--purge", "cove-e2e-hello").user("root")));
      assertThat(box.files().exists("/usr/bin/cove-e2e-hello")).isFalse();
    }
  }

  @Test
  void apt_installs_a_package_from_a_file(@TempDir Path folder) throws Exception {
    byte[] deb = buildPackage(folder);
    try (Sandbox box = server.create()) {
      box.files().as("root").write("/tmp/hello.deb", deb);
      Command install =
          Command.of("apt-get", "install", "-y", "--no-install-recommends", "/tmp/hello.deb")
              .user("root")
              .env("DEBIAN_FRONTEND", "noninteractive");
      succeed(box.exec(install));
      assertThat(succeed(box.exec("cove-e2e-hello")).stdout()).isEqualTo("hello from a package\n");
      assertThat(Path.of("/usr/bin/cove-e2e-hello")).doesNotExist();
    }
  }

  @Test
  void what_root_writes_anywhere_stays_in_its_sandbox() {
    String mark = "cove-e2e-" + UUID.randomUUID();
    List<String> folders =
        List.of("/usr/bin", "/usr/share", "/etc", "/home", "/root", "/var/lib", "/opt", "/tmp");
    try (Sandbox box = server.create();
        Sandbox sibling = server.create()) {
      for (String folder : folders) {
        String file = folder + "/" + mark;
        succeed(box.exec(Command.of("sh", "-c", "echo mine > " + file).user("root")));
        assertThat(box.files().as("root").readString(file)).isEqualTo("mine\n");
        assertThat(sibling.files().as("root").exists(file)).as("%s in sibling", file).isFalse();
        assertThat(Path.of(file)).doesNotExist();
      }
      succeed(box.exec(Command.of("rm", "-rf", "/usr/share/doc", "/etc/services").user("root")));
      assertThat(box.files().exists("/etc/services")).isFalse();
      assertThat(sibling.files().exists("/etc/services"))
          .isEqualTo(Files.exists(Path.of("/etc/services")));
      assertThat(Path.of("/usr/share/doc")).exists();
    }
  }

  @Test
  void the_default_user_has_a_home_of_its_own_and_cannot_write_elsewhere() {
    try (Sandbox box = server.create()) {
      assertThat(box.exec("sh", "-c", "id -un; id -u; pwd; echo $HOME; touch here").stdout())
          .isEqualTo("user\n1000\n/home/user\n/home/user\n");
      assertThat(box.exec("touch", "/usr/bin/nope").exitCode()).isNotZero();
      assertThat(box.exec("touch", "/etc/nope").exitCode()).isNotZero();
    }
  }

  static ExecResult succeed(ExecResult result) {
    assertThat(result.exitCode()).as("%s%s", result.stdout(), result.stderr()).isZero();
    return result;
  }

  /** A program, a configuration file and a script that runs at installation. */
  private static byte[] buildPackage(Path folder) throws IOException, InterruptedException {
    Path root = folder.resolve("hello");
    write(
        root.resolve("DEBIAN/control"),
        """
        Package: cove-e2e-hello
        Version: 1.0
        Architecture: all
        Maintainer: Nobody <nobody@example.org>
        Description: A package for a test
        """);
    write(root.resolve("DEBIAN/conffiles"), "/etc/cove-e2e-hello.conf\n");
    script(
        root.resolve("DEBIAN/postinst"),
        "mkdir -p /var/lib/cove-e2e-hello && echo yes > /var/lib/cove-e2e-hello/configured");
    write(root.resolve("etc/cove-e2e-hello.conf"), "greeting=hello\n");
    script(root.resolve("usr/bin/cove-e2e-hello"), "echo hello from a package");
    Path deb = folder.resolve("hello.deb");
    Process build =
        new ProcessBuilder(
                "dpkg-deb", "--root-owner-group", "--build", root.toString(), deb.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(build.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(build.waitFor()).as(said).isZero();
    return Files.readAllBytes(deb);
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.resolveSibling("."));
    Files.writeString(file, text);
  }

  private static void script(Path file, String line) throws IOException {
    write(file, "#!/bin/sh\nset -e\n" + line + "\n");
    assertThat(file.toFile().setExecutable(true, false)).isTrue();
  }
}
