package dev.cove.control.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.cove.control.ledger.Ledger;
import dev.cove.control.sandbox.MovableClock;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApiKeysTest {
  @TempDir Path folder;
  private final MovableClock clock = new MovableClock();
  private Ledger ledger;
  private ApiKeys keys;

  @BeforeEach
  void open() {
    ledger = Ledger.open(folder.resolve("ledger.db"));
    keys = ApiKeys.open(ledger, clock);
  }

  @AfterEach
  void close() {
    ledger.close();
  }

  private void restart() {
    close();
    open();
  }

  @Test
  void an_issued_key_is_let_in_also_after_a_restart() {
    Issued issued = keys.issue("laptop");
    assertThat(issued.secret()).matches("cove_[0-9a-f]{64}");
    assertThat(keys.authenticate(issued.secret()).map(ApiKey::id)).contains(issued.key().id());
    restart();
    assertThat(keys.authenticate(issued.secret()).map(ApiKey::name)).contains("laptop");
  }

  @Test
  void a_revoked_key_is_refused_at_once_and_for_good() {
    Issued issued = keys.issue("laptop");
    keys.revoke(issued.key().id());
    assertThat(keys.authenticate(issued.secret())).isEmpty();
    restart();
    assertThat(keys.authenticate(issued.secret())).isEmpty();
    assertThat(keys.list()).singleElement().matches(key -> key.revokedAt().isPresent());
    keys.revoke(issued.key().id());
  }

  @Test
  void a_key_that_differs_anywhere_is_refused() {
    String right = keys.issue("laptop").secret();
    for (int i = 0; i < right.length(); i++) {
      char other = right.charAt(i) == '0' ? '1' : '0';
      String wrong = right.substring(0, i) + other + right.substring(i + 1);
      assertThat(keys.authenticate(wrong)).as("differs at %d", i).isEmpty();
    }
  }

  @Test
  void what_is_no_key_is_refused() {
    String right = keys.issue("laptop").secret();
    for (String wrong :
        List.of(
            "",
            "cove_",
            right.substring(5),
            right + "0",
            right + "\n",
            right.substring(0, right.length() - 1),
            "e2b_" + right.substring(5),
            right.toUpperCase(Locale.ROOT),
            "cove_" + "0".repeat(64),
            "cove_" + "\u0660".repeat(64),
            "x".repeat(1_000_000))) {
      assertThat(keys.authenticate(wrong)).isEmpty();
    }
  }

  @Test
  void the_secret_is_neither_on_disk_nor_in_any_text() throws IOException {
    Issued issued = keys.issue("laptop");
    keys.authenticate(issued.secret());
    String digits = issued.secret().substring("cove_".length());
    String hidden = digits.substring(16);
    assertThat(issued.toString()).contains(issued.key().id()).doesNotContain(hidden);
    assertThat(keys.list().toString()).doesNotContain(hidden);
    ledger.close();
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
            .doesNotContain(hidden)
            .doesNotContain(digits.substring(0, 24));
      }
    }
  }

  @Test
  void a_listing_shows_the_last_four_characters_and_no_more() {
    Issued issued = keys.issue("laptop");
    ApiKey listed = keys.list().getFirst();
    assertThat(issued.secret()).endsWith(listed.last4()).contains(listed.id());
    assertThat(listed.last4()).hasSize(4);
    assertThat(listed.id()).hasSize(16);
  }

  @Test
  void the_last_use_is_noted_at_most_once_a_minute() {
    Issued issued = keys.issue("laptop");
    assertThat(keys.list().getFirst().lastUsedAt()).isEmpty();
    keys.authenticate(issued.secret());
    Optional<Instant> first = keys.list().getFirst().lastUsedAt();
    assertThat(first).isPresent();
    clock.advance(Duration.ofSeconds(30));
    keys.authenticate(issued.secret());
    assertThat(keys.list().getFirst().lastUsedAt()).isEqualTo(first);
    clock.advance(Duration.ofSeconds(31));
    keys.authenticate(issued.secret());
    Optional<Instant> second = keys.list().getFirst().lastUsedAt();
    assertThat(second.orElseThrow()).isAfter(first.orElseThrow());
    Awaitility.await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> ApiKeys.open(ledger, clock).list().getFirst().lastUsedAt().equals(second));
  }

  @Test
  void a_key_that_was_never_issued_leaves_no_trace_of_use() {
    keys.issue("laptop");
    keys.authenticate("cove_" + keys.list().getFirst().id() + "0".repeat(48));
    assertThat(keys.list().getFirst().lastUsedAt()).isEmpty();
  }

  @Test
  void there_are_at_most_a_thousand_keys_and_revoked_ones_make_room() {
    Issued first = keys.issue("k0");
    ledger.write(session -> {
      for (int i = 1; i < ApiKeys.MAX_KEYS; i++) {
        session.run(
            """
            insert into api_key (id, name, hash, last4, created_at)
            values (?, 'n', x'00', 'abcd', 1)
            """,
            "k" + i);
      }
      return true;
    });
    restart();
    assertFails(ErrorCode.CONFLICT, () -> keys.issue("one too many"));
    keys.revoke(first.key().id());
    Issued last = keys.issue("fits again");
    assertThat(keys.list()).hasSize(ApiKeys.MAX_KEYS).contains(last.key());
    assertThat(keys.authenticate(first.secret())).isEmpty();
  }

  @Test
  void names_that_cannot_be_kept_are_refused() {
    for (String name : List.of("", " ", "x".repeat(129), "a\nb", "\uD800")) {
      assertFails(ErrorCode.INVALID_REQUEST, () -> keys.issue(name));
    }
    assertFails(ErrorCode.NOT_FOUND, () -> keys.revoke("nobody"));
  }

  @Test
  void the_first_start_leaves_a_key_for_the_local_command_line() throws IOException {
    Path file = folder.resolve("local.key");
    LocalKey.ensure(keys, file);
    String key = Files.readString(file).strip();
    assertThat(keys.authenticate(key)).isPresent();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");

    restart();
    LocalKey.ensure(keys, file);
    assertThat(Files.readString(file).strip()).isEqualTo(key);
    assertThat(keys.list()).hasSize(1);
  }

  @Test
  void a_local_key_that_is_lost_or_revoked_is_replaced() throws IOException {
    Path file = folder.resolve("local.key");
    LocalKey.ensure(keys, file);
    String old = Files.readString(file).strip();
    keys.revoke(keys.list().getFirst().id());
    LocalKey.ensure(keys, file);
    assertThat(Files.readString(file).strip()).isNotEqualTo(old);
    assertThat(keys.authenticate(Files.readString(file).strip())).isPresent();
    assertThat(keys.authenticate(old)).isEmpty();
  }

  private static void assertFails(ErrorCode code, Runnable call) {
    assertThatThrownBy(call::run)
        .asInstanceOf(type(CoveException.class))
        .returns(code, CoveException::code);
  }
}
