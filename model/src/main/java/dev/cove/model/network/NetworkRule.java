package dev.cove.model.network;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Some hosts and ports, and perhaps only some requests to them.
 *
 * @param methods of HTTP requests; empty for all
 * @param paths of HTTP requests, in which {@code *} stands for any characters; empty for all
 */
public record NetworkRule(
    HostPattern host, PortRange ports, Set<String> methods, List<String> paths) {
  private static final int MAX_TEXT = 300;
  private static final int MAX_CONDITIONS = 32;
  private static final int MAX_PATH = 1_024;
  private static final Pattern METHOD = Pattern.compile("[A-Z]{1,20}");
  private static final Pattern PATH = Pattern.compile("/[!-~]*");

  /**
   * What other programs might take for another path than is written: no slash first, a character
   * that has no place in a path, empty and dotted segments, parameters, and escapes that are
   * broken, needless, or of characters that mean something.
   */
  private static final Pattern AMBIGUOUS =
      Pattern.compile(
          "^[^/]|^$|[^!-~]|//|/\\.{1,2}(/|$)|[\\\\;#?]|%(?![0-9a-fA-F]{2})"
              + "|%(2[dDeEfF]|3[0-9bB]|4[1-9a-fA-F]|5[0-9aAcCfF]|6[1-9a-fA-F]|7[0-9aAeE]|00|25)");

  public NetworkRule {
    methods = Set.copyOf(methods);
    paths = List.copyOf(paths);
    if (methods.size() > MAX_CONDITIONS || paths.size() > MAX_CONDITIONS) {
      throw new IllegalArgumentException(
          "A rule has at most %d methods and as many paths".formatted(MAX_CONDITIONS));
    }
    if (!methods.stream().allMatch(method -> METHOD.matcher(method).matches())) {
      throw new IllegalArgumentException("A method is written in capital letters, as in GET");
    }
    if (!paths.stream().allMatch(p -> p.length() <= MAX_PATH && PATH.matcher(p).matches())) {
      throw new IllegalArgumentException(
          "A path begins with / and has at most %d visible ASCII characters".formatted(MAX_PATH));
    }
  }

  /** {@code host}, {@code host:port} or {@code host:port-port}; IPv6 addresses in brackets. */
  public static NetworkRule of(String text) {
    if (text.length() > MAX_TEXT) {
      throw new IllegalArgumentException("A rule has at most %d characters".formatted(MAX_TEXT));
    }
    int colon = text.lastIndexOf(':');
    boolean ports = colon > text.lastIndexOf(']');
    return new NetworkRule(
        HostPattern.of(ports ? text.substring(0, colon) : text),
        ports ? PortRange.of(text.substring(colon + 1)) : PortRange.ANY,
        Set.of(),
        List.of());
  }

  /** What {@link #toString} gives: a rule, and perhaps methods and paths behind it. */
  public static NetworkRule parse(String text) {
    String[] words = text.strip().split(" +");
    NetworkRule rule = of(words[0]);
    Set<String> methods = new TreeSet<>();
    List<String> paths = new ArrayList<>();
    for (String word : List.of(words).subList(1, words.length)) {
      if (word.startsWith("/")) {
        paths.add(word);
      } else {
        methods.addAll(List.of(word.split(",")));
      }
    }
    return rule.withRequests(methods, paths);
  }

  public NetworkRule withRequests(Set<String> newMethods, List<String> newPaths) {
    return new NetworkRule(host, ports, newMethods, newPaths);
  }

  /** Whether it takes a request, and not only a connection, to know if this is meant. */
  public boolean conditional() {
    return !methods.isEmpty() || !paths.isEmpty();
  }

  public boolean matches(Destination destination) {
    return ports.contains(destination.port()) && host.matches(destination.host());
  }

  boolean speaksOf(Destination.Host other) {
    return host.matches(other);
  }

  boolean covers(InetAddress address, int port) {
    return ports.contains(port) && host.covers(address);
  }

  /** Whether it speaks of the request for certain; a path that could be read in two ways is not. */
  public boolean matches(Request request) {
    return (methods.isEmpty() || methods.contains(request.method()))
        && (paths.isEmpty()
            || (!ambiguous(request) && paths.stream().anyMatch(p -> glob(p, request.path()))));
  }

  /** Whether somebody could take the request for one that it speaks of. */
  boolean mayMatch(Request request) {
    return (methods.isEmpty() || methods.contains(request.method().toUpperCase(Locale.ROOT)))
        && (paths.isEmpty()
            || ambiguous(request)
            || paths.stream().anyMatch(path -> glob(path, request.path())));
  }

  private static boolean ambiguous(Request request) {
    return AMBIGUOUS.matcher(request.path()).find();
  }

  /** Without backtracking into earlier stars: the time is bounded by the product of the lengths. */
  private static boolean glob(String pattern, String text) {
    int p = 0;
    int t = 0;
    int star = -1;
    int retry = 0;
    while (t < text.length()) {
      if (p < pattern.length() && pattern.charAt(p) == '*') {
        star = p++;
        retry = t;
      } else if (p < pattern.length() && pattern.charAt(p) == text.charAt(t)) {
        p++;
        t++;
      } else if (star >= 0) {
        p = star + 1;
        t = ++retry;
      } else {
        return false;
      }
    }
    while (p < pattern.length() && pattern.charAt(p) == '*') {
      p++;
    }
    return p == pattern.length();
  }

  /**
   * The part of an HTTP request that rules can speak of.
   *
   * @param path without the query
   */
  public record Request(String method, String path) {}

  /** As {@link #parse} reads it. */
  @Override
  public String toString() {
    var text = new StringBuilder(hostAndPorts());
    if (!methods.isEmpty()) {
      text.append(' ').append(String.join(",", new TreeSet<>(methods)));
    }
    paths.forEach(path -> text.append(' ').append(path));
    return text.toString();
  }

  /** As {@link #of} reads it. */
  public String hostAndPorts() {
    return ports.equals(PortRange.ANY) ? host.toString() : host + ":" + ports;
  }
}
