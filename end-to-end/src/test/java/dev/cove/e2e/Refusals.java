package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.cove.sdk.CoveApiException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** The server must say no, and how. */
public final class Refusals {
  private Refusals() {}

  public static void assertRefused(int status, String code, ThrowingCallable call) {
    assertThatExceptionOfType(CoveApiException.class)
        .isThrownBy(call)
        .satisfies(refusal -> {
          assertThat(refusal.status()).as(refusal.detail()).isEqualTo(status);
          assertThat(refusal.code()).isEqualTo(code);
          assertThat(refusal.detail()).isNotBlank();
        });
  }
}
