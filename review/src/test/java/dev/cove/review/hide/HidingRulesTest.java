package dev.cove.review.hide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.cove.review.tree.TreePath;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class HidingRulesTest {
  private static boolean hides(HidingRules rules, String path) {
    return rules.hides(new TreePath(path), false);
  }

  private static HidingRules usual() {
    return HidingRules.of("", List.of(), List.of());
  }

  @Test
  void what_holds_secrets_in_most_projects_is_hidden_at_any_depth() {
    for (String path :
        List.of(
            ".env",
            "web/.env.production",
            "a/b/server.pem",
            "id_ed25519",
            "deploy_rsa",
            ".netrc",
            "terraform.tfstate",
            "x/service-account-prod.json")) {
      assertThat(hides(usual(), path)).as(path).isTrue();
    }
    assertThat(usual().hides(new TreePath("home/.ssh"), true)).isTrue();
    for (String path :
        List.of(".env.example", "environment.ts", "src/Key.java", "README.md", "rsa.txt", ".ssh")) {
      assertThat(hides(usual(), path)).as(path).isFalse();
    }
  }

  @Test
  void a_project_adds_its_own_and_the_caller_has_the_last_word() {
    var rules =
        HidingRules.of(
            "# comment\n\n/top.txt\nbuild/\ndocs/**/draft-?.md\n!.env.local\n*.[ch]x\n",
            List.of("secret*"),
            List.of("*.pem", "secret-santa"));
    assertThat(hides(rules, "top.txt")).isTrue();
    assertThat(hides(rules, "a/top.txt")).isFalse();
    assertThat(hides(rules, "build")).isFalse();
    assertThat(rules.hides(new TreePath("a/build"), true)).isTrue();
    assertThat(hides(rules, "docs/draft-1.md")).isTrue();
    assertThat(hides(rules, "docs/a/b/draft-2.md")).isTrue();
    assertThat(hides(rules, "docs/a/draft-22.md")).isFalse();
    assertThat(hides(rules, ".env.local")).isFalse();
    assertThat(hides(rules, "a.cx")).isTrue();
    assertThat(hides(rules, "a.dx")).isFalse();
    assertThat(hides(rules, "x/secrets")).isTrue();
    assertThat(hides(rules, "secret-santa")).isFalse();
    assertThat(hides(rules, "test/cert.pem")).isFalse();
  }

  @Test
  void plain_names_are_hidden_at_the_top_before_they_are_there() {
    assertThat(usual().always()).extracting(TreePath::text).contains(".env", ".ssh", ".netrc");
    assertThat(HidingRules.of("", List.of(), List.of(".env")).always())
        .extracting(TreePath::text)
        .doesNotContain(".env");
  }

  @Test
  void patterns_made_to_take_long_do_not_and_too_many_are_refused() {
    var rules = HidingRules.of("", List.of("*a".repeat(100) + "b"), List.of());
    assertThat(hides(rules, "a".repeat(250))).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HidingRules.of("", Collections.nCopies(1_001, "x"), List.of()));
  }
}
