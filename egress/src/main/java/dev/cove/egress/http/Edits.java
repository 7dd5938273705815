package dev.cove.egress.http;

import dev.cove.egress.http.Fields.Field;
import java.util.List;

/** What is changed in one request and in its answers, whichever version of HTTP they come in. */
public interface Edits {
  /** The request's path and query as they go out. */
  String target();

  /** The request's fields as they go out; those about the length of its body are not changed. */
  List<Field> fields();

  /** Whether the request's body is to be read whole, up to {@link #MAX_BODY}, and changed. */
  boolean changesBody();

  byte[] body(byte[] whole);

  /** How large a body may be that is read whole. */
  int MAX_BODY = 256 << 10;

  /** Whether answers are changed at all. */
  boolean changesAnswers();

  /** An answer's fields, or its trailers, as they are passed on. */
  List<Field> answered(List<Field> fields);

  /** A line of an answer that is no field. */
  String answered(String text);

  /**
   * For the body of an answer with those fields, as the server sent them. What comes out of it has
   * no content coding.
   *
   * @throws UnreadableAnswerException it comes in a form into which one can not look
   */
  Filter answer(int status, List<Field> fields) throws UnreadableAnswerException;
}
