package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.CodeResult;
import dev.cove.sdk.CodeValue;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.TemplateBuild;
import java.util.HashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The template that is made of packages, with all its languages; making it takes minutes. */
@Tag("long")
class CodeTemplateTest {
  @RegisterExtension static final RunningServer server = RunningServer.withDefaults();
  private static final String TEMPLATE = "code-interpreter-v1";
  private static Sandbox box;

  @BeforeAll
  static void make() {
    server
        .cove()
        .templates()
        .build(
            TemplateBuild.fromRecipe(TEMPLATE)
                .recipePackage("default-jdk-headless")
                .recipePackage("r-base-core"));
    box = server.create(CreateOptions.defaults().template(TEMPLATE));
  }

  @AfterAll
  static void remove() {
    box.close();
  }

  private static CodeValue shown(String code) {
    CodeResult result = box.runCode("python", code);
    assertThat(result.failure()).isEmpty();
    return result.values().getLast();
  }

  @Test
  void its_service_runs_and_whoever_asks_is_root() {
    assertThat(box.services().list()).extracting(one -> one.fromTemplate()).containsExactly(true);
    assertThat(box.exec("sudo", "id", "-u").stdout()).isEqualTo("0\n");
    assertThat(box.exec("node", "--version").exitCode()).isZero();
    assertThat(box.exec("git", "--version").exitCode()).isZero();
  }

  @Test
  void a_table_is_data_and_a_picture_of_numbers_has_its_numbers() {
    assertThat(shown("import pandas\npandas.DataFrame({'a': [1, 2], 'b': ['x', None]})").shown())
        .containsEntry("data", "{\"a\":[1,2],\"b\":[\"x\",null]}")
        .containsKey("html");
    String plot = "import matplotlib.pyplot as plt\n";
    assertThat(shown(plot + "plt.plot([1, 2], [3, 4], label='l'); plt.xlabel('t (s)')").shown())
        .containsKey("png")
        .hasEntrySatisfying(
            "chart",
            chart ->
                assertThat(chart)
                    .contains("\"type\":\"line\"")
                    .contains("\"x_unit\":\"s\"")
                    .contains("\"points\":[[1.0,3.0],[2.0,4.0]]"));
    assertChart("bar", plot + "plt.bar(['p', 'q'], [5, 7]);", "\"label\":\"q\",\"value\":7.0");
    assertChart("pie", plot + "plt.pie([1, 3], labels=['p', 'q']);", "\"angle\":90.0");
    assertChart("scatter", plot + "plt.scatter([1], [2]);", "[1.0,2.0]");
    assertChart("box_and_whisker", plot + "plt.boxplot([1, 2, 3, 99]);", "\"outliers\":[99.0]");
    assertChart(
        "superchart",
        plot + "_, a = plt.subplots(2); a[0].plot([1]); a[1].bar([1], [2]);",
        "\"bar\"");
  }

  private static void assertChart(String type, String code, String part) {
    assertThat(shown(code).as("chart").orElseThrow())
        .contains("\"type\":\"" + type + "\"")
        .contains(part);
  }

  @Test
  void e2bs_own_client_sees_tables_charts_and_all_languages() throws Exception {
    var environment = new HashMap<>(E2bPackage.environment(server));
    environment.put("LIBRARY", "@e2b/code-interpreter");
    String said = E2bPackage.of("code-interpreter-2.8.0").run("pictures.cjs", environment);
    assertThat(said).contains("8 of 8 checks passed");
  }

  @Test
  void ipython_is_there_for_whoever_speaks_its_language() {
    assertThat(box.runCode("python", "!echo from a shell").stdout()).isEqualTo("from a shell\n");
    assertThat(box.runCode("python", "names = !echo one\nnames[0]").text()).contains("one");
    assertThat(shown("from IPython.display import Markdown\nMarkdown('*a*')").as("markdown"))
        .contains("*a*");
  }

  @Test
  void typescript_java_and_r_remember_too() {
    box.runCode("typescript", "const n: number = 5");
    assertThat(box.runCode("typescript", "n + 1").text()).contains("6");
    box.runCode("java", "int z = 20;");
    assertThat(box.runCode("java", "z * 2").text()).contains("40");
    assertThat(box.runCode("java", "1 / 0").failure().orElseThrow().name())
        .isEqualTo("java.lang.ArithmeticException");
    box.runCode("r", "v <- c(1, 2, 3)");
    assertThat(box.runCode("r", "mean(v)").text()).contains("[1] 2");
    assertThat(box.runCode("r", "stop('no')").failure().orElseThrow().value()).isEqualTo("no");
  }
}
