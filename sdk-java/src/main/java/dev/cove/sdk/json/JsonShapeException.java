package dev.cove.sdk.json;

/** The JSON is broken, or not of the shape that was promised. */
public final class JsonShapeException extends RuntimeException {
  public JsonShapeException(String message) {
    super(message);
  }

  public JsonShapeException(String message, Throwable cause) {
    super(message, cause);
  }
}
