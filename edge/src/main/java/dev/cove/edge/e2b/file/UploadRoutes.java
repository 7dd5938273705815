package dev.cove.edge.e2b.file;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.edge.archive.GunzippedInput;
import dev.cove.edge.e2b.E2bDialect;
import dev.cove.edge.e2b.Envd;
import dev.cove.edge.e2b.FileSignature;
import dev.cove.edge.e2b.rpc.Errno;
import dev.cove.edge.file.FileSending;
import dev.cove.edge.http.Endpoint;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.HttpRefusal;
import dev.cove.edge.http.Route;
import dev.cove.guest.FileInfo;
import dev.cove.guest.Guest;
import dev.cove.guest.GuestException;
import dev.cove.guest.GuestFiles.FileContent;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Contents of files, there and back, never whole in memory. */
public final class UploadRoutes {
  private static final int MAX_FILES = 1_000;
  private static final Pattern RANGE = Pattern.compile("bytes=([0-9]{1,18})-([0-9]{0,18})");

  private final Envd envd;

  public UploadRoutes(Envd envd) {
    this.envd = envd;
  }

  public List<Route> routes() {
    var routes = new ArrayList<Route>();
    for (String path : List.of(E2bDialect.ROOT + "/files", "/files")) {
      routes.add(route("GET", path, this::download));
      routes.add(route("POST", path, this::upload));
    }
    return routes;
  }

  private static Route route(String method, String path, Endpoint endpoint) {
    return Route.of(method, path, endpoint)
        .query("path", "username", "signature", "signature_expiration")
        .openToAll();
  }

  /** A request, the sandbox that it is for, and on whose behalf. */
  private record Visit(Exchange exchange, Person person, UserFiles files) {}

  private Visit visit(Exchange exchange, String operation) {
    Optional<String> username = exchange.query().find("username");
    var signed =
        new FileSignature.Signed(
            exchange.query().find("path").orElse(""),
            operation,
            username.orElse(""),
            exchange.query().find("signature_expiration"));
    Sandbox sandbox = envd.requireForFile(exchange, signed);
    Guest guest = envd.guest(sandbox);
    Optional<String> user =
        username.filter(name -> !name.isEmpty()).or(() -> Person.basicUser(exchange));
    Person person = person(user, sandbox, guest);
    return new Visit(exchange, person, new UserFiles(guest, person));
  }

  private static Person person(Optional<String> user, Sandbox sandbox, Guest guest) {
    try {
      return Person.named(user, sandbox, guest);
    } catch (CoveException e) {
      // No stranger: the token was right. So he gets to read this even while he is sending a file.
      throw new HttpRefusal(401, ErrorCode.INVALID_REQUEST, String.valueOf(e.getMessage()));
    }
  }

  private void download(Exchange exchange) throws IOException {
    Visit visit = visit(exchange, "read");
    String path = visit.person().resolve(exchange.query().find("path").orElse(""));
    FileInfo info =
        visit
            .files()
            .find(path, true)
            .orElseThrow(() ->
                new HttpRefusal(
                    404, ErrorCode.NOT_FOUND, "path '%s' does not exist".formatted(path)));
    if (info.type() == FileInfo.Type.FOLDER) {
      throw badRequest("path '%s' is a directory".formatted(path));
    }
    Optional<Range> range = exchange.header("Range").flatMap(text -> Range.of(text, info.size()));
    long offset = range.map(Range::offset).orElse(0L);
    long length = range.map(Range::length).orElse(-1L);
    String name = path.substring(path.lastIndexOf('/') + 1);
    exchange
        .withHeader("Content-Disposition", "inline; filename*=UTF-8''" + encoded(name))
        .withHeader("Cache-Control", "no-store")
        .withHeader("Accept-Ranges", "bytes");
    range.ifPresent(part ->
        exchange.withHeader(
            "Content-Range",
            "bytes %d-%d/%d".formatted(offset, offset + part.length() - 1, info.size())));
    try (FileContent content = visit.files().with(files -> files.read(path, offset, length))) {
      FileSending.send(exchange, range.isPresent() ? 206 : 200, content, offset, length);
    }
  }

  private static String encoded(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** A part of a file. */
  private record Range(long offset, long length) {
    /** What is no range of this file is no range at all. */
    static Optional<Range> of(String text, long size) {
      Matcher matcher = RANGE.matcher(text);
      if (!matcher.matches()) {
        return Optional.empty();
      }
      long first = Long.parseLong(matcher.group(1));
      long last =
          matcher.group(2).isEmpty()
              ? size - 1
              : Math.min(size - 1, Long.parseLong(matcher.group(2)));
      return first > last ? Optional.empty() : Optional.of(new Range(first, last - first + 1));
    }
  }

  private void upload(Exchange exchange) throws IOException {
    Visit visit = visit(exchange, "write");
    if (exchange.hasHeaderWithPrefix("X-Metadata-")) {
      throw badRequest("Metadata of files is not kept here; leave the X-Metadata headers out");
    }
    String type = exchange.header("Content-Type").orElse("");
    String kind = type.toLowerCase(Locale.ROOT);
    try {
      if (kind.startsWith("multipart/form-data")) {
        exchange.send(200, writeParts(visit, new MultipartInput(exchange.body(), type)));
      } else if (kind.startsWith("application/octet-stream")) {
        exchange.send(200, List.of(writeWhole(visit)));
      } else {
        throw badRequest("Files are sent as multipart/form-data or application/octet-stream");
      }
    } catch (GuestException e) {
      throw refusal(e);
    }
  }

  private static Written writeWhole(Visit visit) throws IOException {
    Exchange exchange = visit.exchange();
    String path = visit.person().resolve(exchange.query().require("path"));
    try (InputStream body = decoded(exchange)) {
      return write(visit, path, body);
    }
  }

  private static InputStream decoded(Exchange exchange) {
    String encoding = exchange.header("Content-Encoding").orElse("identity");
    return switch (encoding.toLowerCase(Locale.ROOT)) {
      case "identity" -> exchange.body();
      case "gzip" -> new GunzippedInput(exchange.encodedBody());
      default ->
          throw badRequest(
              "Content-Encoding is gzip, or is left out, not %.32s".formatted(encoding));
    };
  }

  private static List<Written> writeParts(Visit visit, MultipartInput parts) throws IOException {
    Optional<String> only = visit.exchange().query().find("path").filter(path -> !path.isEmpty());
    var written = new ArrayList<Written>();
    var paths = new HashSet<String>();
    for (Optional<MultipartInput.Part> part = parts.next(); part.isPresent(); part = parts.next()) {
      if (!part.get().name().equals("file")) {
        continue;
      }
      String path =
          visit
              .person()
              .resolve(
                  only.or(part.get()::fileName)
                      .orElseThrow(() -> badRequest("A part file has no filename")));
      if (!paths.add(path)) {
        throw badRequest("you cannot upload multiple files to the same path '%s'".formatted(path));
      }
      if (paths.size() > MAX_FILES) {
        throw badRequest("At most %d files can be sent at once".formatted(MAX_FILES));
      }
      written.add(write(visit, path, part.get().content()));
    }
    if (written.isEmpty()) {
      throw badRequest("The form has no part of the name file");
    }
    return written;
  }

  private static Written write(Visit visit, String path, InputStream content) {
    Optional<FileInfo> there = visit.files().find(path, true);
    if (there.isPresent() && there.get().type() == FileInfo.Type.FOLDER) {
      throw badRequest("path is a directory: " + path);
    }
    visit.files().write(path, content);
    return new Written(path, path.substring(path.lastIndexOf('/') + 1), "file");
  }

  /** Clients compare it as a whole, so nothing may be added. */
  record Written(String path, String name, String type) {}

  private static RuntimeException refusal(GuestException e) {
    return switch (e.errno()) {
      case Errno.ENOSPC, Errno.EDQUOT ->
          new HttpRefusal(507, ErrorCode.GUEST_REFUSED, "not enough disk space available");
      default -> e;
    };
  }

  private static HttpRefusal badRequest(String message) {
    return new HttpRefusal(400, ErrorCode.INVALID_REQUEST, message);
  }
}
