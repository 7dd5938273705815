package dev.cove.edge.http;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** Sends problem documents. */
final class ProblemReply {
  private static final int MAX_DRAINED = 256 * 1024 * 1024;
  private static final Duration MAX_DRAINING = Duration.ofSeconds(3);

  private ProblemReply() {}

  /** In the words of the native API. */
  static void write(
      Request request, Response response, Callback callback, Throwable failure, String where) {
    Dialect.Reply reply = NativeDialect.reply(Problem.of(failure, where));
    write(request, response, callback, failure, reply, null);
  }

  static void write(
      Request request,
      Response response,
      Callback callback,
      Throwable failure,
      Dialect.Reply reply,
      @Nullable RequestBody body) {
    Problem.headers(failure).forEach((name, value) -> response.getHeaders().put(name, value));
    prepare(response, reply);
    if (deservesDraining(failure) && mayHaveMore(request, body)) {
      response.getHeaders().put(HttpHeader.CONNECTION, "close");
      writeAndDrain(request, response, callback, reply.body());
    } else {
      response.write(true, ByteBuffer.wrap(reply.body()), callback);
    }
  }

  /** For failures that the HTTP library found before there was an exchange. */
  static void write(Response response, Callback callback, int status) {
    Dialect.Reply reply = NativeDialect.reply(Problem.ofStatus(status));
    prepare(response, reply);
    response.getHeaders().put(HttpHeader.CONNECTION, "close");
    response.write(true, ByteBuffer.wrap(reply.body()), callback);
  }

  private static void prepare(Response response, Dialect.Reply reply) {
    response.setStatus(reply.status());
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, reply.mediaType());
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, reply.body().length);
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
  }

  // Not for strangers, and not for those who were too slow already.
  private static boolean deservesDraining(Throwable failure) {
    return !(failure instanceof CoveException refused)
        || (refused.code() != ErrorCode.UNAUTHENTICATED
            && refused.code() != ErrorCode.REQUEST_TIMEOUT);
  }

  private static boolean mayHaveMore(Request request, @Nullable RequestBody body) {
    return body == null ? request.getLength() != 0 : !body.hasEnded();
  }

  // A client that is still sending reads no answer. Closing now would reset the connection and
  // throw the answer away, so what still comes is read and dropped, within bounds.
  private static void writeAndDrain(
      Request request, Response response, Callback callback, byte[] bytes) {
    try (Blocker.Callback written = Blocker.callback()) {
      response.write(true, ByteBuffer.wrap(bytes), written);
      written.block();
      drain(Content.Source.asInputStream(request));
      callback.succeeded();
    } catch (IOException e) {
      callback.failed(new AbandonedException(e));
    }
  }

  /** For a client that got its answer and is still sending. */
  static void drainAndComplete(InputStream in, Callback callback) {
    try {
      drain(in);
      callback.succeeded();
    } catch (IOException e) {
      callback.failed(new AbandonedException(e));
    }
  }

  private static void drain(InputStream in) throws IOException {
    byte[] scratch = new byte[64 * 1024];
    long deadline = System.nanoTime() + MAX_DRAINING.toNanos();
    long drained = 0;
    while (drained < MAX_DRAINED && System.nanoTime() < deadline) {
      int read = in.read(scratch);
      if (read < 0) {
        return;
      }
      drained += read;
    }
  }
}
