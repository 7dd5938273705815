package dev.cove.edge.port;

import dev.cove.control.port.Pass;
import dev.cove.edge.http.HeaderField;
import dev.cove.edge.http.RawExchange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What of a server's headers the client gets to see.
 *
 * <p>Under {@code /p/} all sandboxes and the API share one origin. A page there is put into an
 * origin of its own by the browser, so that it cannot read what the pages of other sandboxes, or a
 * console, may read; and headers that speak for the whole origin are dropped.
 */
final class ReplyFields {
  private static final HeaderField ISOLATED =
      new HeaderField(
          "Content-Security-Policy",
          "sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts");

  private static final Set<String> FOR_WHOLE_ORIGIN =
      Set.of(
          "alt-svc",
          "clear-site-data",
          "nel",
          "report-to",
          "reporting-endpoints",
          "service-worker-allowed",
          "strict-transport-security");

  /** In a trailer these would be read as if they had come in time. */
  private static final Set<String> NEVER_LATE =
      Set.of(
          "authorization",
          "content-encoding",
          "content-length",
          "content-range",
          "content-type",
          "host",
          "location",
          "set-cookie",
          "trailer",
          "www-authenticate");

  private final RawExchange exchange;
  private final PortNames.Named named;
  private final Admission admission;

  ReplyFields(RawExchange exchange, PortNames.Named named, Admission admission) {
    this.exchange = exchange;
    this.named = named;
    this.admission = admission;
  }

  List<HeaderField> of(ReplyHead head) {
    var fields = new ArrayList<HeaderField>(head.fields().size() + 2);
    HopFields hops = HopFields.of(head.fields());
    boolean chunked = !head.values("Transfer-Encoding").isEmpty();
    for (HeaderField field : head.fields()) {
      boolean dropped =
          hops.contains(field)
              || Caching.replaces(field)
              || (field.is("Trailer") && !chunked)
              || (field.is("Content-Length") && (head.status() == 204 || head.status() == 304))
              || (named.byPath()
                  && FOR_WHOLE_ORIGIN.contains(field.name().toLowerCase(Locale.ROOT)));
      if (!dropped) {
        add(fields, field);
      }
    }
    fields.add(Caching.of(head.fields(), admission.forEverybody()));
    if (named.byPath()) {
      fields.add(ISOLATED);
    }
    admission.cookie().ifPresent(pass -> fields.add(cookie(pass)));
    return fields;
  }

  private void add(List<HeaderField> fields, HeaderField field) {
    if (field.is("Set-Cookie")) {
      String name = field.value().split("[=;]", 2)[0].strip();
      if (!name.equals(Credentials.COOKIE)) {
        fields.add(new HeaderField(field.name(), confined(field.value())));
      }
    } else if (field.is("Location") && named.byPath() && isPath(field.value())) {
      fields.add(new HeaderField(field.name(), named.prefix() + field.value()));
    } else {
      fields.add(field);
    }
  }

  private static boolean isPath(String location) {
    return location.startsWith("/") && !location.startsWith("//");
  }

  /** A cookie is for the port that set it: not for other hosts, and not for other paths. */
  private String confined(String cookie) {
    var kept = new ArrayList<String>();
    for (String part : cookie.split(";")) {
      String name = part.split("=", 2)[0].strip().toLowerCase(Locale.ROOT);
      if (kept.isEmpty() || !(name.equals("domain") || (named.byPath() && name.equals("path")))) {
        kept.add(part.strip());
      }
    }
    if (named.byPath()) {
      kept.add("Path=" + named.prefix() + "/");
    }
    return String.join("; ", kept);
  }

  /** For a browser that came with a link: it is let in without from now on. */
  HeaderField cookie(Pass pass) {
    long seconds = Math.max(0, Duration.between(Instant.now(), pass.expiresAt()).toSeconds());
    return new HeaderField(
        "Set-Cookie",
        "%s=%s; Path=%s/; Max-Age=%d; HttpOnly; SameSite=Lax%s"
            .formatted(
                Credentials.COOKIE,
                pass.text(),
                named.prefix(),
                seconds,
                exchange.isSecure() ? "; Secure" : ""));
  }

  static List<HeaderField> trailers(List<HeaderField> late) {
    HopFields hops = HopFields.of(List.of());
    return late.stream()
        .filter(field -> !hops.contains(field))
        .filter(field -> !NEVER_LATE.contains(field.name().toLowerCase(Locale.ROOT)))
        .toList();
  }
}
