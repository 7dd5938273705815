package dev.cove.edge.http;

import dev.cove.control.project.QuotaExceededException;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.observe.Span;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An RFC 9457 problem document. {@link #of} is the one place where a failure becomes an answer.
 *
 * @param code stable, for programs; {@code detail} is for people
 * @param traceId where traces are kept, the one that this is part of
 */
public record Problem(
    String type, String title, int status, String detail, String code, Optional<String> traceId) {
  public static final String MEDIA_TYPE = "application/problem+json";
  private static final Logger LOG = LoggerFactory.getLogger(Problem.class);

  static Problem of(int status, ErrorCode code, String detail) {
    return new Problem(
        "about:blank", title(code), status, detail, code.publicName(), Span.currentTrace());
  }

  /**
   * What to tell a caller about a failure. A fault of ours is logged here, once, with a reference
   * that the answer repeats; nothing else of it leaves the process.
   *
   * @param where the route, for the log
   */
  public static Problem of(Throwable failure, String where) {
    return switch (failure) {
      case HttpRefusal refusal -> of(refusal.status(), refusal.code(), message(refusal));
      case CoveException refusal -> ofRefusal(refusal, where);
      case HttpException library -> ofLibrary(library, where);
      case IllegalArgumentException invalid -> of(400, ErrorCode.INVALID_REQUEST, message(invalid));
      case UncheckedIOException wrapped when wrapped.getCause() != null ->
          of(wrapped.getCause(), where);
      case IOException io when io.getCause() instanceof TimeoutException -> ofTimeout();
      // A stream out of a sandbox that broke, with the reason that the sandbox gave.
      case IOException io when io.getCause() instanceof CoveException reason -> of(reason, where);
      case TimeoutException _ -> ofTimeout();
      case VirtualMachineError lack -> ofLack(lack, where);
      case InterruptedException _ ->
          of(503, ErrorCode.UNAVAILABLE, "The server is stopping; try again later");
      default -> ofBug(failure, where);
    };
  }

  static Map<String, String> headers(Throwable failure) {
    return switch (failure) {
      case HttpRefusal refusal -> refusal.headers();
      case QuotaExceededException refusal ->
          Map.of("Retry-After", Long.toString(Math.max(1, refusal.retryAfter().toSeconds())));
      case CoveException refusal when refusal.code().kind() == ErrorCode.Kind.CAPACITY ->
          Map.of("Retry-After", "1");
      default -> Map.of();
    };
  }

  private static Problem ofRefusal(CoveException refusal, String where) {
    return switch (refusal.code().kind()) {
      case CALLER, CAPACITY -> of(refusal.code().httpStatus(), refusal.code(), message(refusal));
      case DEPENDENCY -> {
        LOG.warn("{}: {}{}", where, message(refusal), Span.mark());
        yield of(refusal.code().httpStatus(), refusal.code(), message(refusal));
      }
      case BUG -> ofBug(refusal, where);
    };
  }

  private static Problem ofLibrary(HttpException failure, String where) {
    int status = failure.getCode();
    if (status >= 500 || status < 400) {
      return ofBug((Throwable) failure, where);
    }
    return ofStatus(status);
  }

  /** For refusals that the HTTP library makes by itself, before there is an exchange. */
  static Problem ofStatus(int status) {
    return switch (status) {
      case 404 -> of(status, ErrorCode.NOT_FOUND, "There is nothing here");
      case 408 -> ofTimeout();
      case 413 -> of(status, ErrorCode.TOO_LARGE, "The request is too large");
      case 414 -> of(status, ErrorCode.TOO_LARGE, "The URL is too long");
      case 417 -> of(status, ErrorCode.INVALID_REQUEST, "Only Expect: 100-continue is understood");
      case 431 -> of(status, ErrorCode.TOO_LARGE, "The request's headers are too large");
      case 505 -> of(status, ErrorCode.INVALID_REQUEST, "Only HTTP/1.1 and HTTP/1.0 are spoken");
      default ->
          status < 500
              ? of(status, ErrorCode.INVALID_REQUEST, "The request is not well-formed HTTP")
              : of(status, ErrorCode.INTERNAL, "The request could not be served");
    };
  }

  private static Problem ofTimeout() {
    return of(
        ErrorCode.REQUEST_TIMEOUT.httpStatus(),
        ErrorCode.REQUEST_TIMEOUT,
        "The request's body did not arrive in time");
  }

  private static Problem ofLack(VirtualMachineError lack, String where) {
    LOG.warn("{}: {}", where, String.valueOf(lack));
    return of(
        503,
        ErrorCode.UNAVAILABLE,
        "The host gives the server no more memory, threads or file descriptors; /readyz says which."
            + " Try again later");
  }

  private static Problem ofBug(Throwable failure, String where) {
    String reference = UUID.randomUUID().toString().substring(0, 8);
    LOG.error("{} failed, reference {}{}", where, reference, Span.mark(), failure);
    return of(
        ErrorCode.INTERNAL.httpStatus(),
        ErrorCode.INTERNAL,
        "Something went wrong inside the server. Its log has the cause under reference "
            + reference);
  }

  private static String message(Throwable failure) {
    String message = failure.getMessage();
    return message == null || message.isBlank() ? "The request was refused" : message;
  }

  private static String title(ErrorCode code) {
    String words = code.publicName().replace('_', ' ');
    return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
  }
}
