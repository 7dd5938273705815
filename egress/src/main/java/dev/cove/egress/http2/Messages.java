package dev.cove.egress.http2;

import dev.cove.egress.http.BadMessageException;
import dev.cove.egress.http.Fields;
import dev.cove.egress.http.Fields.Field;
import dev.cove.egress.http.RequestHead;
import dev.cove.model.network.Destination;
import dev.cove.model.network.NetworkRule.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;

/** Heads of messages as Jetty reads them, and as everybody else here does. */
final class Messages {
  private static final Pattern METHOD = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}");
  private static final Pattern TARGET = Pattern.compile("/[!-~&&[^#]]*");
  private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9a-z-]+");
  private static final Pattern VALUE = Pattern.compile("[\\t\\x20-\\x7E\\x80-\\xFF]*");

  /** What a message of HTTP/2 has no use for, and a server that passes it on might have. */
  private static final Set<String> OF_A_CONNECTION =
      Set.of("connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade");

  private Messages() {}

  /** The fields, each of which could stand in HTTP/1 too. */
  static List<Field> fields(HttpFields fields) throws BadMessageException {
    List<Field> read = new ArrayList<>();
    for (HttpField field : fields) {
      String name = field.getName().toLowerCase(Locale.ROOT);
      String value = field.getValue() == null ? "" : field.getValue();
      if (!NAME.matcher(name).matches()
          || !VALUE.matcher(value).matches()
          || OF_A_CONNECTION.contains(name)) {
        throw new BadMessageException("A header field that is not one");
      }
      read.add(new Field(name, value));
    }
    return read;
  }

  /** The part that rules can speak of. */
  static Request request(MetaData.Request request) throws BadMessageException {
    String target = target(request);
    if (!METHOD.matcher(request.getMethod()).matches()
        || !(TARGET.matcher(target).matches()
            || (target.equals("*") && request.getMethod().equals("OPTIONS")))
        || request.getProtocol() != null) {
      throw new BadMessageException("That is not a request of HTTP/2");
    }
    int query = target.indexOf('?');
    return new Request(request.getMethod(), query < 0 ? target : target.substring(0, query));
  }

  static String target(MetaData.Request request) {
    String target = request.getHttpURI().getPathQuery();
    return target == null ? "" : target;
  }

  /** Whether the authority and a Host besides it name the destination, and no other does. */
  static boolean isFor(MetaData.Request request, List<Field> fields, Destination destination) {
    String authority = request.getHttpURI().getAuthority();
    List<String> hosts = Fields.of(fields).values("host");
    return authority != null
        && "https".equals(request.getHttpURI().getScheme())
        && RequestHead.names(authority, destination)
        && hosts.stream().allMatch(host -> RequestHead.names(host, destination));
  }

  /** The same request with another target and other fields. */
  static MetaData.Request changed(MetaData.Request request, String target, List<Field> fields) {
    HttpURI uri = HttpURI.build(request.getHttpURI()).pathQuery(target).asImmutable();
    return new MetaData.Request(request.getMethod(), uri, HttpVersion.HTTP_2, jettys(fields), -1);
  }

  /** About as many bytes as it takes. */
  static int size(String target, List<Field> fields) {
    return target.length()
        + fields.stream().mapToInt(field -> field.name().length() + field.value().length()).sum();
  }

  static HttpFields jettys(List<Field> fields) {
    HttpFields.Mutable made = HttpFields.build();
    for (Field field : fields) {
      made.add(field.name().toLowerCase(Locale.ROOT), field.value());
    }
    return made.asImmutable();
  }

  static MetaData.Response answer(int status, List<Field> fields) {
    return new MetaData.Response(status, null, HttpVersion.HTTP_2, jettys(fields));
  }

  static MetaData trailers(List<Field> fields) {
    return new MetaData(HttpVersion.HTTP_2, jettys(fields));
  }
}
