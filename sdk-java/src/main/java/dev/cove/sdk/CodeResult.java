package dev.cove.sdk;

import java.util.List;
import java.util.Optional;

/**
 * What came of running code.
 *
 * @param executionCount how often the context has run something
 * @param failure present when the code failed
 */
public record CodeResult(
    int executionCount,
    String stdout,
    String stderr,
    List<CodeValue> values,
    Optional<CodeFailure> failure) {
  public CodeResult {
    values = List.copyOf(values);
  }

  /** The value of the code itself, as text. */
  public Optional<String> text() {
    return values.stream().filter(CodeValue::main).findFirst().flatMap(CodeValue::text);
  }
}
