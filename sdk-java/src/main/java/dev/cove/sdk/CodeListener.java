package dev.cove.sdk;

/** Hears what code has to say while it runs. Calls come from the thread that runs it. */
public interface CodeListener {
  default void stdout(String text) {}

  default void stderr(String text) {}

  default void value(CodeValue value) {}

  default void failure(CodeFailure failure) {}

  /** For whoever waits for the end. */
  static CodeListener silent() {
    return new CodeListener() {};
  }
}
