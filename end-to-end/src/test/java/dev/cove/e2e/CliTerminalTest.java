package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Sandbox;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The command line in the hands of a person at a real terminal. */
class CliTerminalTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @Test
  void a_shell_has_a_terminal_of_the_windows_size_and_follows_it() throws Exception {
    try (Sandbox box = server.create();
        Terminal terminal = Cli.of(server).inTerminal(33, 77, "shell", box.id())) {
      terminal.expect("\\$ ");
      terminal.type("stty size; echo $TERM; tty\r");
      terminal.expect("33 77\\s+xterm\\s+/dev/pts/");
      terminal.resize(44, 111);
      terminal.type("until stty size | grep '44 ''111'; do sleep 0.05; done\r");
      terminal.expect("44 111");
      terminal.type("exit 6\r");
      assertThat(terminal.awaitExit()).isEqualTo(6);
    }
  }

  @Test
  void control_c_in_a_shell_goes_to_the_program_inside() throws Exception {
    try (Sandbox box = server.create();
        Terminal terminal = Cli.of(server).inTerminal(24, 80, "shell", box.id())) {
      terminal.expect("\\$ ");
      terminal.type("echo sleep''ing; sleep 600\r");
      terminal.expect("sleeping");
      terminal.type("\u0003");
      terminal.expect("\\$ ");
      terminal.type("echo still $((40 + 2))\r");
      terminal.expect("still 42");
      terminal.type("\u0004");
      terminal.awaitExit();
    }
  }

  @Test
  void the_terminal_is_as_before_when_a_shell_has_ended() throws Exception {
    try (Sandbox box = server.create()) {
      // The outer shell's own echo is off while the inner one runs, and on again afterwards.
      var outer = new ArrayList<>(List.of("sh", "-c"));
      outer.add("stty -a | grep -o ' -\\?icanon'; \"$@\"; stty -a | grep -o ' -\\?icanon'; exit 4");
      outer.add("sh");
      outer.addAll(Cli.commandInTerminal("shell", box.id()));
      try (Terminal terminal = Terminal.open(24, 80, server.environment(), outer)) {
        terminal.expect(" icanon");
        terminal.expect("\\$ ");
        terminal.type("exit\r");
        terminal.expect(" icanon");
        assertThat(terminal.awaitExit()).isEqualTo(4);
      }
    }
  }

  @Test
  void run_in_a_terminal_removes_its_sandbox_on_control_c() throws Exception {
    try (Terminal terminal =
        Cli.of(server)
            .inTerminal(
                24, 80, "run", "--label", "suite=tty", "--", "sh", "-c", "echo up; sleep 600")) {
      terminal.expect("up");
      terminal.type("\u0003");
      assertThat(terminal.awaitExit()).isEqualTo(130);
      assertThat(server.cove().sandboxes().list(Map.of("suite", "tty"))).isEmpty();
    }
  }

  @Test
  void a_program_in_a_terminal_of_its_own_sees_a_terminal() throws Exception {
    try (Sandbox box = server.create();
        Terminal terminal =
            Cli.of(server)
                .inTerminal(
                    24,
                    80,
                    "exec",
                    "-t",
                    box.id(),
                    "--",
                    "sh",
                    "-c",
                    "test -t 0 && test -t 1 && echo it is; stty size")) {
      terminal.expect("it is\\s+24 80");
      assertThat(terminal.awaitExit()).isZero();
    }
  }
}
