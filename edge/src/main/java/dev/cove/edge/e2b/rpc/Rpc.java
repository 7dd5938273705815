package dev.cove.edge.e2b.rpc;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.edge.e2b.E2bDialect;
import dev.cove.edge.e2b.Envd;
import dev.cove.edge.http.Endpoint;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.HttpRefusal;
import dev.cove.edge.http.Json;
import dev.cove.edge.http.Route;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Makes routes of remote calls. The sandbox is found first; what is wrong with that is no call. */
public final class Rpc {
  static final String UNARY_TYPE = "application/json";
  static final String STREAM_TYPE = "application/connect+json";

  /** What one message may have; input to a process comes in one. */
  static final int LONGEST_MESSAGE = 4 * 1024 * 1024;

  private final Envd envd;
  private final String service;

  public Rpc(Envd envd, String service) {
    this.envd = envd;
    this.service = service;
  }

  /** One message there, one back. */
  @FunctionalInterface
  public interface Unary<T> {
    Object call(Call call, T request) throws IOException, InterruptedException;
  }

  /** An answer that is not to be in memory whole once more when it is sent. */
  public record LongAnswer(Object body) {}

  /** One message there, a stream back. */
  @FunctionalInterface
  public interface Streaming<T> {
    void call(Call call, T request, RpcStream answer) throws IOException, InterruptedException;
  }

  /** A call and the running sandbox that it is for. */
  public record Call(Exchange exchange, Sandbox sandbox) {
    /** How long the caller is willing to wait; empty where he did not say. */
    public OptionalLong timeoutMs() {
      return exchange
          .header("Connect-Timeout-Ms")
          .map(text -> OptionalLong.of(wholeNumber("Connect-Timeout-Ms", text)))
          .orElse(OptionalLong.empty());
    }

    /** After how much silence the caller wants a sign of life. */
    public OptionalLong keepaliveSeconds() {
      return exchange
          .header("Keepalive-Ping-Interval")
          .map(text -> OptionalLong.of(wholeNumber("Keepalive-Ping-Interval", text)))
          .orElse(OptionalLong.empty());
    }

    private static long wholeNumber(String name, String text) {
      if (!text.matches("[0-9]{1,10}")) {
        throw new RpcRefusal(RpcCode.INVALID_ARGUMENT, name + " must be a whole number");
      }
      return Long.parseLong(text);
    }
  }

  public <T> Route unary(String method, Class<T> type, Unary<T> call) {
    return route(
        method,
        exchange -> {
          requireType(exchange, UNARY_TYPE);
          Sandbox sandbox = envd.require(exchange);
          @Nullable Object answer = null;
          @Nullable RuntimeException refusal = null;
          try {
            requireVersion(exchange);
            answer =
                call.call(new Call(exchange, sandbox), Json.readLoosely(wholeBody(exchange), type));
          } catch (CoveException | IllegalArgumentException e) {
            refusal = e;
          }
          if (refusal != null) {
            exchange.send(
                RpcError.codeOf(refusal).httpStatus(), RpcError.of(refusal, where(method)));
          } else if (answer instanceof LongAnswer(var body)) {
            exchange.sendLong(200, body);
          } else if (answer != null) {
            exchange.send(200, answer);
          }
        });
  }

  public <T> Route stream(String method, Class<T> type, Streaming<T> call) {
    return route(
        method,
        exchange -> {
          requireType(exchange, STREAM_TYPE);
          Sandbox sandbox = envd.require(exchange);
          var answer = new RpcStream(exchange);
          try {
            requireVersion(exchange);
            T request = Json.readLoosely(Envelope.read(exchange.body()), type);
            call.call(new Call(exchange, sandbox), request, answer);
            answer.end();
          } catch (CoveException | IllegalArgumentException e) {
            if (answer.hasBegun() && RpcError.codeOf(e) == RpcCode.UNAVAILABLE) {
              throw e; // the sandbox is gone: clients look for themselves when a stream is cut
            }
            answer.end(RpcError.of(e, where(method)));
          }
        });
  }

  private Route route(String method, Endpoint endpoint) {
    return Route.of("POST", E2bDialect.ROOT + "/" + service + "/" + method, endpoint).openToAll();
  }

  private String where(String method) {
    return service + "/" + method;
  }

  private static void requireType(Exchange exchange, String wanted) {
    String type = exchange.header("Content-Type").orElse("").toLowerCase(Locale.ROOT);
    int semicolon = type.indexOf(';');
    String bare = (semicolon < 0 ? type : type.substring(0, semicolon)).strip();
    if (!bare.equals(wanted)) {
      throw new HttpRefusal(
          415,
          ErrorCode.UNSUPPORTED_MEDIA_TYPE,
          "This call is made with Content-Type: " + wanted,
          Map.of("Accept-Post", wanted));
    }
  }

  private static void requireVersion(Exchange exchange) {
    if (!exchange.header("Connect-Protocol-Version").orElse("1").equals("1")) {
      throw new RpcRefusal(
          RpcCode.INVALID_ARGUMENT, "Connect-Protocol-Version must be 1 where it is given");
    }
    String encoding = exchange.header("Connect-Content-Encoding").orElse("identity");
    if (!encoding.equals("identity")) {
      throw new RpcRefusal(
          RpcCode.UNIMPLEMENTED, "Compressed messages are not understood; send them as they are");
    }
  }

  private static byte[] wholeBody(Exchange exchange) throws IOException {
    InputStream body;
    try {
      body = exchange.body();
    } catch (CoveException e) {
      throw new RpcRefusal(RpcCode.UNIMPLEMENTED, "Send the message without a Content-Encoding");
    }
    byte[] bytes = body.readNBytes(LONGEST_MESSAGE + 1);
    if (bytes.length > LONGEST_MESSAGE) {
      throw Envelope.tooLong(bytes.length);
    }
    return bytes;
  }
}
