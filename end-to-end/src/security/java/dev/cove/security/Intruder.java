package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.ExecResult;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A sandbox whose code wants out, or wants more than its share. */
final class Intruder implements AutoCloseable {
  static final List<String> USERS = List.of("user", "root");

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String PROGRAMS = "/opt/hostile/";

  private final Sandbox box;

  private Intruder(Sandbox box) {
    this.box = box;
  }

  static Intruder in(Cove cove) {
    return in(cove, CreateOptions.defaults());
  }

  static Intruder in(Cove cove, CreateOptions options) {
    return new Intruder(cove.sandboxes().create(options));
  }

  Sandbox box() {
    return box;
  }

  String id() {
    return box.id();
  }

  SandboxFiles files(String user) {
    return box.files().as(user);
  }

  ExecResult run(String user, String... argv) {
    return box.exec(Command.of(argv).user(user).timeout(PATIENCE));
  }

  ExecResult shell(String user, String script) {
    return run(user, "sh", "-c", script);
  }

  /** Prepares an attack; fails the test when even that does not work. */
  String must(String user, String script) {
    ExecResult result = shell(user, script);
    assertThat(result.exitCode()).as("%s: %s", script, result.stderr()).isZero();
    return result.stdout().strip();
  }

  /** Puts a program from {@code src/security/c} inside; returns its path there. */
  String install(String program) throws IOException, InterruptedException {
    return put(program, HostileProgram.compile(program));
  }

  String put(String program, byte[] bytes) {
    String path = PROGRAMS + program;
    files("root").write(path, new ByteArrayInputStream(bytes), "0755", true);
    return path;
  }

  /** Runs a program that prints a name and a finding per line. */
  Map<String, String> findings(String user, String... argv) {
    ExecResult result = run(user, argv);
    assertThat(result.exitCode()).as("%s said %s", argv[0], result.stderr()).isZero();
    return findings(result.stdout());
  }

  static Map<String, String> findings(String output) {
    var findings = new LinkedHashMap<String, String>();
    for (String line : output.lines().toList()) {
      int space = line.lastIndexOf(' ');
      assertThat(space).as("a finding in: %s", line).isPositive();
      findings.put(line.substring(0, space), line.substring(space + 1));
    }
    return findings;
  }

  /** The sandbox can be used as before. */
  void assertUsable() {
    assertThat(run("user", "echo", "alive").stdout()).isEqualTo("alive\n");
  }

  @Override
  public void close() {
    box.close();
  }
}
