package dev.cove.control.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleTest {
  @ParameterizedTest(name = "{0} after {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "every 1s        | 2026-11-18T10:00:00.250Z | 2026-11-18T10:00:01Z",
        "every 15m       | 2026-11-18T10:00:00Z     | 2026-11-18T10:15:00Z",
        "every 90m       | 2026-11-18T10:14:59Z     | 2026-11-18T10:30:00Z",
        "every 366d      | 1970-01-01T00:00:00Z     | 1971-01-02T00:00:00Z",
        "* * * * *       | 2026-11-18T10:00:00Z     | 2026-11-18T10:01:00Z",
        "*/20 * * * *    | 2026-11-18T10:40:30Z     | 2026-11-18T11:00:00Z",
        "5/25 * * * *    | 2026-11-18T10:06:00Z     | 2026-11-18T10:30:00Z",
        "0 3 * * *       | 2026-11-18T03:00:00Z     | 2026-11-19T03:00:00Z",
        "30 9 * * mon-fri| 2026-11-20T09:30:00Z     | 2026-11-23T09:30:00Z",
        "0 0 * * 7       | 2026-11-18T00:00:00Z     | 2026-11-22T00:00:00Z",
        "0 0 * * 0,SAT   | 2026-11-18T00:00:00Z     | 2026-11-21T00:00:00Z",
        "0 0 1 * mon     | 2026-11-24T00:00:00Z     | 2026-11-30T00:00:00Z",
        "0 0 1 * mon     | 2026-11-30T00:00:00Z     | 2026-12-01T00:00:00Z",
        "59 23 31 12 *   | 2026-12-31T23:59:00Z     | 2027-12-31T23:59:00Z",
        "0 0 29 feb *    | 2096-03-01T00:00:00Z     | 2104-02-29T00:00:00Z",
      })
  void comes_next_at(String text, Instant moment, Instant next) {
    assertThat(Schedule.parse(text).nextAfter(moment)).isEqualTo(next);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "often",
        "every 0s",
        "every 15",
        "every 1000000s",
        "every 367d",
        "every -5m",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * 13 *",
        "* * * * 8",
        "*/0 * * * *",
        "5-1 * * * *",
        "1,, * * * *",
        "-1 * * * *",
        "* * * foo *",
        "0 0 30 2 *",
        "0 0 31 4,6,9,11 *",
      })
  void what_says_no_time_is_refused(String text) {
    assertThatThrownBy(() -> Schedule.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("schedule");
  }

  @Test
  void a_text_has_up_to_200_characters() {
    String list = "1,".repeat(95) + "1";
    assertThat(Schedule.parse(list + " * * * *").text()).hasSize(199);
    assertThatThrownBy(() -> Schedule.parse("1,1," + list + " * * * *"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
