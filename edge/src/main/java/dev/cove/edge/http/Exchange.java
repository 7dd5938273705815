package dev.cove.edge.http;

import dev.cove.control.sandbox.Patience;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** One request and the answer to it, in blocking terms. Used by the one thread that handles it. */
public final class Exchange {
  private static final Pattern WAIT = Pattern.compile("(?i)\\s*wait\\s*=\\s*([0-9]{1,6})\\s*");
  private static final byte[] NOTHING = new byte[0];
  private static final byte[] EMPTY_OBJECT = {'{', '}'};

  private final Request request;
  private final Response response;
  private final Callback callback;
  private final HttpLimits limits;
  private final Map<String, String> parameters;
  private final Query query;
  private final Caller caller;
  private final Dialect dialect;
  private @Nullable RequestBody body;
  private @Nullable OutputStream output;
  private boolean handedOver;

  Exchange(
      Request request, Response response, Callback callback, HttpLimits limits, Matched matched) {
    this.request = request;
    this.response = response;
    this.callback = callback;
    this.limits = limits;
    this.parameters = matched.parameters();
    this.query = matched.query();
    this.caller = matched.caller();
    this.dialect = matched.dialect();
  }

  /** What is known of a request before its body is looked at. */
  record Matched(Map<String, String> parameters, Query query, Caller caller, Dialect dialect) {}

  /** A segment of the path, decoded. */
  public String path(String name) {
    String value = parameters.get(name);
    if (value == null) {
      throw new IllegalStateException("The route has no segment " + name);
    }
    return value;
  }

  public Query query() {
    return query;
  }

  public Caller caller() {
    return caller;
  }

  public HttpLimits limits() {
    return limits;
  }

  public Optional<String> header(String name) {
    List<String> values = request.getHeaders().getValuesList(name);
    if (values.size() > 1) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST, "Header " + name + " is given more than once");
    }
    return values.stream().findFirst();
  }

  /** Whether there is any of a family of headers. */
  public boolean hasHeaderWithPrefix(String prefix) {
    return request.getHeaders().stream()
        .anyMatch(field -> field.getName().regionMatches(true, 0, prefix, 0, prefix.length()));
  }

  /** The name that the request is for, with the port if it was given. */
  public String authority() {
    return RawExchange.authority(request);
  }

  public String scheme() {
    return request.isSecure() ? "https" : "http";
  }

  public boolean accepts(String mediaType) {
    return request.getHeaders().getCSV(HttpHeader.ACCEPT, false).stream()
        .anyMatch(range -> mediaType.equalsIgnoreCase(mediaType(range)));
  }

  /** The body as it comes, of any type and length. */
  public InputStream body() {
    return openBody();
  }

  /** The body as it was sent, in whatever encoding the sender says that it is. */
  public InputStream encodedBody() {
    RequestBody open = body;
    if (open == null) {
      open = new RequestBody(Content.Source.asInputStream(request), limits);
      body = open;
    }
    return open;
  }

  /** The body as JSON: bounded, strict, complete. */
  public <T> T json(Class<T> type) throws IOException {
    return Json.read(jsonBytes(), type);
  }

  /**
   * The same for clients of another API, who may say more than is understood here. No body says as
   * much as an empty object.
   */
  public <T> T looseJson(Class<T> type) throws IOException {
    byte[] bytes = jsonBytes();
    return Json.readLoosely(bytes.length == 0 ? EMPTY_OBJECT : bytes, type);
  }

  private byte[] jsonBytes() throws IOException {
    requireJsonType();
    long announced = request.getLength();
    if (announced > HttpLimits.JSON_BODY) {
      throw tooLarge();
    }
    byte[] bytes = openBody().readNBytes(HttpLimits.JSON_BODY + 1);
    if (bytes.length > HttpLimits.JSON_BODY) {
      throw tooLarge();
    }
    return bytes;
  }

  public Exchange withHeader(String name, String value) {
    response.getHeaders().put(name, value);
    return this;
  }

  /** A header that follows a streamed body, with what is known only then. */
  public void trailer(String name, Supplier<String> value) {
    response.getHeaders().put("Trailer", name);
    response.setTrailersSupplier(() -> HttpFields.build().put(name, value.get()));
  }

  /** Answers with JSON, whole. */
  public void send(int status, Object value) {
    send(status, "application/json", Json.write(value));
  }

  /** Answers with JSON that may be long, without having it whole in memory. */
  public void sendLong(int status, Object value) throws IOException {
    OutputStream out = stream(status, "application/json", OptionalLong.empty());
    Json.write(value, paced(out));
  }

  /** Answers with bytes, whole. */
  public void send(int status, String mediaType, byte[] bytes) {
    response.setStatus(status);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, mediaType);
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes.length);
    handedOver = true;
    response.write(true, ByteBuffer.wrap(bytes), callback);
  }

  /** Answers with no body. */
  public void sendNothing(int status) {
    response.setStatus(status);
    if (status != 204) {
      response.getHeaders().put(HttpHeader.CONTENT_LENGTH, 0);
    }
    handedOver = true;
    response.write(true, ByteBuffer.wrap(NOTHING), callback);
  }

  /** Answers with bytes as they come. Writing blocks while the client reads nothing. */
  public OutputStream stream(int status, String mediaType, OptionalLong length) {
    response.setStatus(status);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, mediaType);
    length.ifPresent(bytes -> response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes));
    OutputStream opened = Content.Sink.asOutputStream(response);
    output = opened;
    return opened;
  }

  /** An answer that the client must read at some speed, because it holds memory meanwhile. */
  public OutputStream paced(OutputStream out) {
    return new PacedOutput(out, limits);
  }

  /** Answers with server-sent events. */
  public EventStream events() {
    withHeader("Cache-Control", "no-store").withHeader("X-Accel-Buffering", "no");
    return new EventStream(stream(200, "text/event-stream", OptionalLong.empty()));
  }

  /** To be felt for as long as the events last. */
  public Pulse pulse(EventStream events) {
    return new Pulse(events, caller(), limits);
  }

  /** Watches for the client to go away while nothing is read or written. */
  public ClientPresence watchClient(Runnable whenGone) {
    return ClientPresence.watch(request, whenGone);
  }

  /** How long the client waits for a place on a full machine. */
  Patience patience() {
    return new Patience(
        wish(),
        whenGone -> {
          if (!isRead()) {
            return () -> {}; // bytes that came would be those of the body
          }
          ClientPresence presence = watchClient(whenGone);
          return presence::close;
        });
  }

  /** As in {@code Prefer: wait=10}; zero for an answer at once. */
  private Optional<Duration> wish() {
    return header("Prefer")
        .map(WAIT::matcher)
        .filter(Matcher::matches)
        .map(found -> Duration.ofSeconds(Long.parseLong(found.group(1))));
  }

  private boolean isRead() {
    RequestBody open = body;
    return open != null
        ? open.hasEnded()
        : request.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH) <= 0
            && !request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING);
  }

  /** What takes the connection over, such as a WebSocket. */
  interface Takeover {
    boolean take(Request request, Response response, Callback callback);
  }

  boolean handOver(Takeover takeover) {
    boolean taken = takeover.take(request, response, callback);
    handedOver |= taken;
    return taken;
  }

  /** Ends what the endpoint left open. */
  void finish() throws IOException {
    if (handedOver) {
      return;
    }
    if (output == null) {
      throw new IllegalStateException("The endpoint gave no answer");
    }
    output.close();
    handedOver = true;
    callback.succeeded();
  }

  /** Answers with a problem, or cuts the connection when an answer has begun already. */
  void fail(Throwable failure, String where) {
    if (handedOver) {
      return;
    }
    handedOver = true;
    boolean begun = response.isCommitted();
    if (begun && failure instanceof RuntimeException && !isClientGone(failure)) {
      // Nobody can be told any more, but a fault of ours must not go unseen.
      Problem.of(failure, where);
    }
    if (begun || isClientGone(failure)) {
      callback.failed(new AbandonedException(failure));
      return;
    }
    // A stream that was opened and not yet written to has said nothing: take back what it meant to.
    response.getHeaders().clear();
    response.setTrailersSupplier(null);
    Dialect.Reply reply = dialect.refusal(failure, Problem.of(failure, where));
    ProblemReply.write(request, response, callback, failure, reply, body);
  }

  boolean isAnswered() {
    return handedOver;
  }

  private static boolean isClientGone(Throwable failure) {
    @Nullable Throwable cause = failure;
    for (int depth = 0; cause != null && depth < 8; depth++) {
      if (cause instanceof ClientGoneException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private InputStream openBody() {
    requireNoEncoding();
    return encodedBody();
  }

  private void requireNoEncoding() {
    String encoding = request.getHeaders().get(HttpHeader.CONTENT_ENCODING);
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw new CoveException(
          ErrorCode.UNSUPPORTED_MEDIA_TYPE, "Send the body without a Content-Encoding");
    }
  }

  private void requireJsonType() {
    String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
    if (type == null) {
      return;
    }
    String charset = "";
    for (String parameter : type.split(";")) {
      String stripped = parameter.strip().toLowerCase(Locale.ROOT);
      if (stripped.startsWith("charset=")) {
        charset = stripped.substring("charset=".length()).replace("\"", "");
      }
    }
    boolean utf8 = charset.isEmpty() || charset.equals("utf-8") || charset.equals("utf8");
    if (!utf8 || !mediaType(type).equalsIgnoreCase("application/json")) {
      throw new CoveException(
          ErrorCode.UNSUPPORTED_MEDIA_TYPE, "The body must be application/json in UTF-8");
    }
  }

  private static String mediaType(String value) {
    int semicolon = value.indexOf(';');
    return (semicolon < 0 ? value : value.substring(0, semicolon)).strip();
  }

  private static CoveException tooLarge() {
    return new CoveException(
        ErrorCode.TOO_LARGE,
        "A JSON body may have at most %d bytes".formatted(HttpLimits.JSON_BODY));
  }
}
