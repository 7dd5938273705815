package dev.cove.egress.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.model.ProjectName;
import dev.cove.model.file.PrivateFile;
import dev.cove.model.secret.SecretName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VaultTest {
  private static final SecretName TOKEN = new SecretName("TOKEN");
  private static final String VALUE = "sk-live-0123456789";
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir Path folder;

  private Vault vault() throws IOException {
    return Vault.open(folder.resolve("secrets"), Clock.fixed(NOW, ZoneOffset.UTC));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String revealed(Vault vault) {
    return vault.find(TOKEN).orElseThrow().reveal();
  }

  @Test
  void a_secret_outlives_the_server_and_its_removal_too() throws Exception {
    vault().set(TOKEN, bytes(VALUE));
    Vault later = vault();
    assertThat(revealed(later)).isEqualTo(VALUE);
    assertThat(later.remove(TOKEN)).isTrue();
    assertThat(later.remove(TOKEN)).isFalse();
    assertThat(later.list(ProjectName.DEFAULT)).isEmpty();
    assertThat(vault().list(ProjectName.DEFAULT)).isEmpty();
  }

  @Test
  void the_list_has_names_and_times_and_a_new_value_keeps_the_first() throws Exception {
    vault().set(TOKEN, bytes(VALUE));
    var later = Clock.fixed(NOW.plus(Duration.ofHours(1)), ZoneOffset.UTC);
    Vault vault = Vault.open(folder.resolve("secrets"), later);
    vault.set(TOKEN, bytes("another-value"));
    vault.set(new SecretName("ALSO"), bytes(VALUE));
    assertThat(vault().list(ProjectName.DEFAULT))
        .containsExactly(
            new Vault.Entry(new SecretName("ALSO"), later.instant(), later.instant()),
            new Vault.Entry(TOKEN, NOW, later.instant()));
    assertThat(revealed(vault())).isEqualTo("another-value");
  }

  @Test
  void no_file_holds_a_value_and_nobody_else_can_read_them() throws Exception {
    vault().set(TOKEN, bytes(VALUE));
    try (var files = Files.list(folder.resolve("secrets"))) {
      List<Path> all = files.toList();
      assertThat(all).hasSize(2);
      for (Path file : all) {
        assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).doesNotContain("sk-live");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
            .isEqualTo("rw-------");
      }
    }
    assertThat(vault().find(TOKEN).orElseThrow()).hasToString("secret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1234567",
        "with\r\nInjected: yes",
        "with\nline",
        "with\u0000nul",
        "with\ttab",
        "with\u00e4umlaut",
        "with\u007fdelete",
        " begins-with-space",
        "ends-with-space "
      })
  void a_value_that_could_not_be_sent_is_refused_and_nothing_changes(String value)
      throws Exception {
    Vault vault = vault();
    vault.set(TOKEN, bytes(VALUE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> vault.set(TOKEN, bytes(value)))
        .satisfies(e -> assertThat(e.toString()).doesNotContain("Injected", "umlaut"));
    assertThat(revealed(vault)).isEqualTo(VALUE);
  }

  @Test
  void a_value_has_up_to_64_kib() throws Exception {
    vault().set(TOKEN, bytes("x".repeat(64 << 10)));
    assertThat(revealed(vault())).hasSize(64 << 10);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> vault().set(TOKEN, bytes("x".repeat((64 << 10) + 1))));
  }

  @Test
  void there_are_up_to_1024() throws Exception {
    Vault vault = vault();
    for (int i = 0; i < Vault.MAX_SECRETS; i++) {
      vault.set(new SecretName("S" + i), bytes(VALUE));
    }
    assertThatIllegalArgumentException().isThrownBy(() -> vault.set(TOKEN, bytes(VALUE)));
    vault.set(new SecretName("S7"), bytes(VALUE));
  }

  @Test
  void a_lost_or_wrong_key_is_told_and_never_replaced() throws Exception {
    vault().set(TOKEN, bytes(VALUE));
    Path key = folder.resolve("secrets/vault.key");
    byte[] right = Files.readAllBytes(key);
    Files.delete(key);
    assertThatThrownBy(this::vault).isInstanceOf(VaultException.class).hasMessageContaining("gone");
    assertThat(key).doesNotExist();
    PrivateFile.write(key, new byte[32]);
    assertThatThrownBy(this::vault)
        .isInstanceOf(VaultException.class)
        .hasMessageContaining("TOKEN")
        .hasMessageContaining("vault.key");
    PrivateFile.write(key, new byte[31]);
    assertThatThrownBy(this::vault).isInstanceOf(VaultException.class);
    PrivateFile.write(key, right);
    assertThat(revealed(vault())).isEqualTo(VALUE);
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r-----"));
    assertThatThrownBy(this::vault)
        .isInstanceOf(VaultException.class)
        .hasMessageContaining("chmod 600");
  }

  @Test
  void a_value_can_not_be_moved_to_another_name() throws Exception {
    vault().set(TOKEN, bytes(VALUE));
    Path secrets = folder.resolve("secrets");
    Files.move(secrets.resolve("TOKEN.secret"), secrets.resolve("OTHER.secret"));
    assertThatThrownBy(this::vault).isInstanceOf(VaultException.class);
  }

  @Test
  void what_was_half_written_when_the_plug_was_pulled_was_never_set() throws Exception {
    vault().set(TOKEN, bytes(VALUE));
    Files.writeString(folder.resolve("secrets/TOKEN.secret.new"), "half");
    assertThat(revealed(vault())).isEqualTo(VALUE);
    assertThat(folder.resolve("secrets/TOKEN.secret.new")).doesNotExist();
  }

  @Test
  void a_placeholder_stays_the_same_and_tells_nothing_of_the_value() throws Exception {
    Vault vault = vault();
    String unset = vault.placeholder(TOKEN);
    vault.set(TOKEN, bytes(VALUE));
    assertThat(unset).matches("coveplaceholder[a-z2-7]{32}");
    assertThat(vault.placeholder(TOKEN)).isEqualTo(unset);
    vault.set(TOKEN, bytes("another-value"));
    assertThat(vault().placeholder(TOKEN)).isEqualTo(unset);
    assertThat(vault.placeholder(new SecretName("OTHER"))).isNotEqualTo(unset);
    Vault elsewhere = Vault.open(folder.resolve("elsewhere"), Clock.systemUTC());
    assertThat(elsewhere.placeholder(TOKEN)).isNotEqualTo(unset);
  }
}
