package dev.cove.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import dev.cove.sdk.ExecResult;
import dev.cove.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Programs inside that want to be root, where their template says that they may. */
class SudoTest {
  private static final Path SUDO =
      Path.of("../control/src/main/resources/dev/cove/control/build/sudo.sh");

  @RegisterExtension static final RunningServer server = RunningServer.shared();

  private static Sandbox box;

  @BeforeAll
  static void create() throws IOException {
    box = server.create();
    asRoot("cat > /usr/local/bin/sudo; chmod 755 /usr/local/bin/sudo", Files.readString(SUDO));
    asRoot("mkdir -p /etc/cove; umask 022; echo yes > /etc/cove/sudo", "");
  }

  @AfterAll
  static void remove() {
    box.close();
  }

  private static void asRoot(String script, String input) {
    ExecResult done = box.exec(Command.shell(script).user("root"), input.getBytes(UTF_8));
    assertThat(done.exitCode()).as(done.stderr()).isZero();
  }

  private static ExecResult shell(String script) {
    return box.exec(Command.shell(script));
  }

  @Test
  void whoever_asks_is_root_and_the_command_is_theirs_otherwise() {
    assertThat(shell("sudo id -u; sudo -u user id -un").stdout()).isEqualTo("0\nuser\n");
    ExecResult mixed =
        shell("cd /tmp; echo in | MINE=1 sudo sh -c 'cat; pwd; echo $MINE $HOME; exit 7'");
    assertThat(mixed.stdout()).isEqualTo("in\n/tmp\n1 /root\n");
    assertThat(mixed.exitCode()).isEqualTo(7);
    assertThat(shell("sudo A=b sh -c 'echo $A >&2'").stderr()).isEqualTo("b\n");
  }

  @Test
  void what_cannot_be_run_is_said() {
    ExecResult missing = shell("sudo no-such-program");
    assertThat(missing.stderr()).isEqualTo("sudo: no-such-program: command not found\n");
    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(shell("sudo -u nobody-knows true").stderr()).contains("no such user");
    assertThat(shell("sudo").stderr()).startsWith("usage: ");
  }

  @Test
  void a_signal_is_passed_on_and_an_end_of_the_asker_ends_the_command() {
    assertThat(shell("timeout -s INT 1 sudo sleep 61; echo $?").stdout()).isEqualTo("124\n");
    assertThat(shell("sudo sh -c 'kill -9 $$'; echo $?").stdout()).isEqualTo("137\n");
    String script =
        "sudo sleep 62 & sleep 0.3; kill -9 $!; sleep 0.3; pgrep -c -x -f 'sleep 6[12]'; true";
    assertThat(shell(script).stdout()).isEqualTo("0\n");
  }

  @Test
  void a_file_that_is_not_roots_alone_allows_nothing() {
    for (String spoiled : new String[] {"chown user", "chmod o+w", "chmod g+w", "rm"}) {
      asRoot(spoiled + " /etc/cove/sudo", "");
      ExecResult refused = shell("sudo id -u");
      assertThat(refused.stderr()).as(spoiled).contains("cannot become another user");
      assertThat(refused.exitCode()).isEqualTo(1);
      asRoot("rm -f /etc/cove/sudo; umask 022; echo yes > /etc/cove/sudo", "");
    }
    asRoot("mv /etc/cove/sudo /etc/cove/real; ln -s real /etc/cove/sudo", "");
    assertThat(shell("sudo id -u").exitCode()).isEqualTo(1);
    asRoot("mv /etc/cove/real /etc/cove/sudo", "");
    assertThat(shell("sudo id -u").stdout()).isEqualTo("0\n");
  }

  @Test
  void so_many_run_at_once_and_no_more() {
    ExecResult many =
        shell(
            "for i in $(seq 64); do sudo sleep 63 & done; sleep 2; sudo true; echo $?;"
                + " kill $(jobs -p); wait; sudo id -u");
    assertThat(many.stderr()).contains("Too many commands run for others");
    assertThat(many.stdout()).isEqualTo("1\n0\n");
  }

  @Test
  void requests_that_make_no_sense_are_refused() {
    String script =
        """
        import array, fcntl, os, socket
        def ask(packet, files):
            s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            s.connect("\\0cove-ask")
            rights = array.array("i", files)
            s.sendmsg([packet], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)] if files else [])
            print(s.recv(2048)[1:].decode())
        def request(data, seals):
            f = os.memfd_create("r", os.MFD_ALLOW_SEALING)
            os.write(f, data)
            if seals: fcntl.fcntl(f, fcntl.F_ADD_SEALS, seals)
            return f
        sealed = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW
        ask(bytes([2]), [])
        ask(bytes([2]), [0, 1])
        ask(bytes([2]), [0, 1, 2, 0])
        ask(bytes([2]), [0, 1, 2, request(b"x" * 64, 0)])
        ask(bytes([2]), [0, 1, 2, request(b"", sealed)])
        ask(bytes([2]), [0, 1, 2, request(b"\\xff" * 64, sealed)])
        ask(bytes([2]), [0, 1, 2, request(b"x" * (3 << 20), sealed)])
        """;
    ExecResult asked = box.exec(Command.of("python3", "-"), script.getBytes(UTF_8));
    assertThat(asked.stderr()).isEmpty();
    assertThat(asked.stdout().lines()).hasSize(7).containsOnly("The request is not well-formed.");
    assertThat(shell("sudo id -u").stdout()).isEqualTo("0\n");
  }
}
