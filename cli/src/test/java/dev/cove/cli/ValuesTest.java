package dev.cove.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.sdk.CoveApiException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class ValuesTest {
  @ParameterizedTest
  @CsvSource({"256,256", "512M,512", "512mb,512", "1.5G,1536", "2GiB,2048", "1t,1048576"})
  void a_size_is_read_as_megabytes(String text, int megabytes) {
    assertThat(new Megabytes().convert(text).count()).isEqualTo(megabytes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "0", "-1", "1k", "lots", "1e9", "99999999999", "999999999T", "1.2345G"})
  void what_is_no_size_is_refused(String text) {
    assertThatThrownBy(() -> new Megabytes().convert(text))
        .isInstanceOf(TypeConversionException.class);
  }

  @ParameterizedTest
  @CsvSource({"500ms,500", "30s,30000", "7,7000", "5m,300000", "24h,86400000"})
  void a_time_is_read_with_its_unit(String text, long millis) {
    assertThat(new CommandFlags.Time().convert(text)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "0s", "-1s", "2d", "25h", "soon", "1.5s", "99999999999"})
  void what_is_no_time_is_refused(String text) {
    assertThatThrownBy(() -> new CommandFlags.Time().convert(text))
        .isInstanceOf(TypeConversionException.class);
  }

  @Test
  void a_place_in_a_sandbox_is_told_from_a_local_file() {
    assertThat(BoxPath.find("box:/a/b")).contains(new BoxPath("box", "/a/b"));
    assertThat(BoxPath.find("/tmp/a:b")).isEmpty();
    assertThat(BoxPath.find("./box:/a")).isEmpty();
    assertThat(BoxPath.find("plain")).isEmpty();
    assertThat(BoxPath.find("-")).isEqualTo(Optional.empty());
    assertThatThrownBy(() -> BoxPath.find("box:relative")).isInstanceOf(UserError.class);
    assertThat(new BoxPath("b", "/a/c/").name()).isEqualTo("c");
    assertThat(new BoxPath("b", "/").resolve("x").path()).isEqualTo("/x");
  }

  @ParameterizedTest
  @CsvSource({"0,0B", "1023,1023B", "1024,1K", "1536,1.5K", "268435456,256M", "4227588096,3.9G"})
  void bytes_are_shown_as_people_read_them(long count, String shown) {
    assertThat(Human.bytes(count)).isEqualTo(shown);
  }

  @Test
  void an_age_has_one_unit_and_is_never_negative() {
    Instant now = Instant.parse("2026-11-16T00:00:00Z");
    assertThat(Human.age(now.minusSeconds(59), now)).isEqualTo("59s");
    assertThat(Human.age(now.minusSeconds(3_599), now)).isEqualTo("59m");
    assertThat(Human.age(now.minusSeconds(86_399), now)).isEqualTo("23h");
    assertThat(Human.age(now.minusSeconds(864_000), now)).isEqualTo("10d");
    assertThat(Human.age(now.plusSeconds(5), now)).isEqualTo("0s");
  }

  @ParameterizedTest
  @CsvSource({
    "guest_refused, The program nope was not found in PATH, 127",
    "guest_refused, The program /x/y can't be run by user: No such file or directory, 127",
    "guest_refused, The program /etc/passwd can't be run by user: Permission denied, 126",
    "guest_refused, The working folder /nope can't be entered by user: No such file, 125",
    "not_found, There is no such sandbox, 125",
  })
  void a_program_that_is_missing_is_told_from_one_that_can_not_run(
      String code, String detail, int exit) {
    assertThat(Refusal.exitCode(new CoveApiException(422, code, detail))).isEqualTo(exit);
  }
}
