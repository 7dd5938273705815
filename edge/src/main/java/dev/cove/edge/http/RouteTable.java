package dev.cove.edge.http;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Finds the route for a path. The path is compared as it was sent, segment by segment, and only
 * then decoded: nothing is normalised, so no spelling of {@code ..} leads to another route.
 */
final class RouteTable {
  private static final int MAX_SEGMENTS = 16;

  private final Map<Integer, List<Entry>> bySegments = new HashMap<>();

  RouteTable(List<Route> routes) {
    for (Route route : routes) {
      var segments = split(route.path());
      bySegments
          .computeIfAbsent(segments.size(), _ -> new ArrayList<>())
          .add(new Entry(route, segments));
    }
  }

  Found find(String method, String rawPath) {
    var segments = split(rawPath);
    var allowed = new TreeSet<String>();
    for (Entry entry : bySegments.getOrDefault(segments.size(), List.of())) {
      if (!entry.matches(segments)) {
        continue;
      }
      if (entry.route.method().equals(method)) {
        return new Found.Here(entry.route, entry.parameters(segments));
      }
      allowed.add(entry.route.method());
    }
    return allowed.isEmpty() ? new Found.Nowhere() : new Found.OtherMethod(List.copyOf(allowed));
  }

  private static List<String> split(String path) {
    var segments = new ArrayList<String>(8);
    int from = path.startsWith("/") ? 1 : 0;
    for (int slash = path.indexOf('/', from);
        slash >= 0 && segments.size() < MAX_SEGMENTS;
        slash = path.indexOf('/', from)) {
      segments.add(path.substring(from, slash));
      from = slash + 1;
    }
    segments.add(path.substring(from));
    return segments;
  }

  /** What a path and method lead to. */
  sealed interface Found {
    /**
     * @param raw what stands for each name in the path, still encoded
     */
    record Here(Route route, Map<String, String> raw) implements Found {
      Map<String, String> parameters() {
        var decoded = new HashMap<String, String>(4);
        raw.forEach((name, value) -> decoded.put(name, Percent.decode("path", value)));
        return decoded;
      }
    }

    record OtherMethod(List<String> allowed) implements Found {}

    record Nowhere() implements Found {}
  }

  private record Entry(Route route, List<String> segments) {
    boolean matches(List<String> path) {
      for (int i = 0; i < segments.size(); i++) {
        if (!isVariable(segments.get(i)) && !segments.get(i).equals(path.get(i))) {
          return false;
        }
      }
      return true;
    }

    Map<String, String> parameters(List<String> path) {
      var parameters = new HashMap<String, String>(4);
      for (int i = 0; i < segments.size(); i++) {
        String segment = segments.get(i);
        if (isVariable(segment)) {
          parameters.put(segment.substring(1, segment.length() - 1), path.get(i));
        }
      }
      return parameters;
    }

    private static boolean isVariable(String segment) {
      return segment.startsWith("{");
    }
  }
}
