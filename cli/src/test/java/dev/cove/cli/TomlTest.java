package dev.cove.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TomlTest {
  @TempDir Path folder;

  @Test
  void a_project_says_what_its_sandboxes_are() throws Exception {
    Files.writeString(
        folder.resolve("cove.toml"),
        """
        # for agents
        [sandbox]
        template = "base"   # with Node
        memory = '4G'
        cpus = 1.5

        [project]
        hide = ["private/**", # never
                "*.pem",]
        [network]
        preset = []
        allow = ["api.example.com:443"]
        [env]
        CI = "1"
        [agent]
        arguments = ["--model", "a \\"b\\""]
        """);

    ProjectSettings settings = ProjectSettings.of(folder);

    assertThat(settings.template()).contains("base");
    assertThat(settings.memory()).contains(new Megabytes.Size(4096));
    assertThat(settings.cpus()).contains(1.5);
    assertThat(settings.hide()).containsExactly("private/**", "*.pem");
    assertThat(settings.presets()).isEmpty();
    assertThat(settings.allow()).containsExactly("api.example.com:443");
    assertThat(settings.env()).isEqualTo(Map.of("CI", "1"));
    assertThat(settings.agentArguments()).isEqualTo(List.of("--model", "a \"b\""));
  }

  @Test
  void no_file_says_nothing() {
    assertThat(ProjectSettings.of(folder)).isEqualTo(ProjectSettings.NONE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[sandbox]~memory = 4|2|'sandbox.memory' must be a string",
        "[sandbox]~memory = \"much\"|2|'much' is not a size",
        "[sandbox]~colour = \"red\"|2|there is no setting 'sandbox.colour'",
        "[secrets]~KEY = \"x\"|2|there is no setting 'secrets.KEY'",
        "[project]~show = [\".env\"]|2|there is no setting 'project.show'",
        "[project]~hide = \"x\"|2|'project.hide' must be a list",
        "[project]~hide = [1]|2|more than strings",
        "[project]~hide = [\"a\" \"b\"]|2|lacks a comma",
        "[project]~hide = [\"a\"|2|lacks a comma or its end",
        "[sandbox|1|a table is written [name]",
        "~~what is this|3|a line is key = value",
        "[sandbox]~cpus = many|2|is no string in quotes",
        "[sandbox]~cpus = 1 2|2|something after the value",
        "[sandbox]~template = \"a|2|has no end",
        "[sandbox]~template = \"\\q\"|2|has an escape",
        "[sandbox]~cpus = 1~~cpus = 2|4|'sandbox.cpus' is said twice",
      })
  void a_fault_is_told_with_its_line_and_key(String text, int line, String sentence)
      throws Exception {
    Files.writeString(folder.resolve("cove.toml"), text.replace('~', '\n'));

    assertThatThrownBy(() -> ProjectSettings.of(folder))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("cove.toml, line " + line + ": ")
        .hasMessageContaining(sentence);
  }

  @Test
  void bytes_that_are_no_text_are_told() throws Exception {
    Files.write(folder.resolve("cove.toml"), new byte[] {(byte) 0xff, (byte) 0xfe});

    assertThatThrownBy(() -> ProjectSettings.of(folder)).hasMessageContaining("is not UTF-8");
  }
}
