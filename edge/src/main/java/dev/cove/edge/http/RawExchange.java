package dev.cove.edge.http;

import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.Callback;

/**
 * One request to be passed on as it is, and the answer that comes back. Used by the thread that
 * handles it; another may read the body meanwhile.
 */
public final class RawExchange {
  private final Request request;
  private final Response response;
  private final Callback callback;
  private final ChunkInput body;
  private boolean answered;

  RawExchange(Request request, Response response, Callback callback) {
    this.request = request;
    this.response = response;
    this.callback = callback;
    this.body = new ChunkInput(request);
  }

  public String method() {
    return request.getMethod();
  }

  /** The name that the request is for, without a port. */
  public String host() {
    String host = request.getHttpURI().getHost();
    return host == null ? "" : host;
  }

  /** The name that the request is for, with the port if it was given. */
  public String authority() {
    return authority(request);
  }

  static String authority(Request request) {
    String authority = request.getHttpURI().getAuthority();
    return authority == null ? "" : authority;
  }

  /** As it was sent, still encoded. */
  public String path() {
    String path = request.getHttpURI().getPath();
    return path == null ? "" : path;
  }

  /** As it was sent; empty where there is none. */
  public String query() {
    String query = request.getHttpURI().getQuery();
    return query == null ? "" : query;
  }

  public List<HeaderField> fields() {
    var fields = new ArrayList<HeaderField>(request.getHeaders().size());
    for (HttpField field : request.getHeaders()) {
      String value = field.getValue();
      fields.add(new HeaderField(field.getName(), value == null ? "" : value));
    }
    return fields;
  }

  /** A field that may come at most once; empty where it does not come. */
  public String single(String name) {
    List<String> values = request.getHeaders().getValuesList(name);
    if (values.size() > 1) {
      throw new HttpRefusal(
          400, ErrorCode.INVALID_REQUEST, "Header " + name + " is given more than once");
    }
    return values.isEmpty() ? "" : values.getFirst();
  }

  public String clientAddress() {
    return Request.getRemoteAddr(request);
  }

  public boolean isSecure() {
    return request.isSecure();
  }

  /** Whether the connection can become something else than HTTP. */
  public boolean canUpgrade() {
    return request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_1;
  }

  public boolean hasBody() throws IOException {
    return !body.isEmpty();
  }

  /** How long the body will be, where that was said. */
  public OptionalLong length() {
    long length = request.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH);
    return length < 0 ? OptionalLong.empty() : OptionalLong.of(length);
  }

  public InputStream body() {
    return body;
  }

  public boolean isRead() {
    return body.hasEnded();
  }

  /** Notices that the client goes away while nothing is read; only after the body was read. */
  public ClientPresence watchClient(Runnable whenGone) {
    return ClientPresence.watch(request, whenGone);
  }

  /**
   * Says what the answer is; it goes out with the first bytes.
   *
   * @param trailers asked for when the body has been written
   */
  public void begin(int status, List<HeaderField> fields, Supplier<List<HeaderField>> trailers) {
    setHead(status, fields);
    if (fields.stream().anyMatch(field -> field.is("Trailer"))) {
      response.setTrailersSupplier(() -> {
        var built = HttpFields.build();
        trailers.get().forEach(field -> built.add(field.name(), field.value()));
        return built;
      });
    }
  }

  /** Returns when the client, or the system on its behalf, has taken the bytes. */
  public void write(ByteBuffer bytes, boolean last) throws IOException {
    try (Blocker.Callback written = Blocker.callback()) {
      response.write(last, bytes, written);
      written.block();
    } catch (IOException e) {
      throw new ClientGoneException(e);
    }
  }

  /** To be called when all was written: the connection may be used for the next request. */
  public void finish() {
    answered = true;
    if (body.hasEnded()) {
      callback.succeeded();
    } else {
      ProblemReply.drainAndComplete(body, callback);
    }
  }

  /** Cuts the connection, whatever was said on it already. */
  public void abandon() {
    answered = true;
    callback.failed(new AbandonedException(new ClientGoneException()));
  }

  /** Answers without a body. */
  public void send(int status, List<HeaderField> fields) throws IOException {
    setHead(status, fields);
    write(ByteBuffer.allocate(0), true);
    finish();
  }

  /**
   * Answers 101 and hands the connection over.
   *
   * @param taker called on a thread of its own
   * @param unused called instead when the connection is gone
   */
  public void upgrade(List<HeaderField> fields, Consumer<PlainConnection> taker, Runnable unused) {
    setHead(101, fields);
    response.getHeaders().put(HttpHeader.CONNECTION, "Upgrade");
    var tunnel =
        new PlainConnection(request.getConnectionMetaData().getConnection().getEndPoint(), taker);
    request.setAttribute(HttpStream.UPGRADE_CONNECTION_ATTRIBUTE, tunnel);
    answered = true;
    response.write(
        true,
        ByteBuffer.allocate(0),
        new Callback.Nested(callback) {
          @Override
          public void failed(Throwable cause) {
            super.failed(cause);
            unused.run();
          }
        });
  }

  boolean isAnswered() {
    return answered;
  }

  /** Answers with a problem, or cuts the connection when an answer has begun already. */
  void fail(Throwable failure, String where, Optional<Dialect> dialect) {
    if (answered) {
      return;
    }
    answered = true;
    if (response.isCommitted() || failure instanceof ClientGoneException) {
      callback.failed(new AbandonedException(failure));
      return;
    }
    response.getHeaders().clear();
    response.setTrailersSupplier(null);
    if (dialect.isPresent()) {
      Dialect.Reply reply = dialect.get().refusal(failure, Problem.of(failure, where));
      ProblemReply.write(request, response, callback, failure, reply, null);
    } else {
      ProblemReply.write(request, response, callback, failure, where);
    }
  }

  private void setHead(int status, List<HeaderField> fields) {
    HttpFields.Mutable headers = response.getHeaders();
    headers.clear();
    fields.forEach(field -> headers.add(field.name(), field.value()));
    response.setStatus(status);
  }
}
