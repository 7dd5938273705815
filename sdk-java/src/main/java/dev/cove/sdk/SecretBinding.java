package dev.cove.sdk;

import dev.cove.sdk.json.Json;
import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where a secret of the server goes into what a sandbox sends. Inside there is only a placeholder,
 * which is swapped on the way to the hosts that are named here. Each method gives a copy.
 *
 * @param hosts names such as {@code api.example.com} or {@code *.example.com:8443}
 * @param place bearer, basic, header, query or body
 * @param name of the header, the query's parameter or the body's field
 * @param user whose password it is, where the place is basic
 * @param methods only in requests with one of these; in all when there are none
 * @param paths only in requests to one of these; to all when there are none
 * @param unasked added to each request, so that the client sends no placeholder
 * @param plainHttp also without TLS
 * @param env the variable inside that holds the placeholder; the secret's own name when empty
 */
public record SecretBinding(
    String secret,
    List<String> hosts,
    String place,
    Optional<String> name,
    Optional<String> user,
    List<String> methods,
    List<String> paths,
    boolean unasked,
    boolean plainHttp,
    Optional<String> env) {
  public SecretBinding {
    hosts = List.copyOf(hosts);
    methods = List.copyOf(methods);
    paths = List.copyOf(paths);
  }

  /** In the header {@code Authorization: Bearer}. */
  public static SecretBinding bearer(String secret, String host, String... others) {
    return at(all(host, others), secret, "bearer", Optional.empty(), Optional.empty());
  }

  /** As that user's password, in the header {@code Authorization: Basic}. */
  public static SecretBinding basic(String secret, String user, String host, String... others) {
    return at(all(host, others), secret, "basic", Optional.empty(), Optional.of(user));
  }

  public static SecretBinding header(String secret, String name, String host, String... others) {
    return at(all(host, others), secret, "header", Optional.of(name), Optional.empty());
  }

  /** As a parameter of the query. */
  public static SecretBinding query(String secret, String name, String host, String... others) {
    return at(all(host, others), secret, "query", Optional.of(name), Optional.empty());
  }

  /** As a field of the body. */
  public static SecretBinding body(String secret, String name, String host, String... others) {
    return at(all(host, others), secret, "body", Optional.of(name), Optional.empty());
  }

  private static SecretBinding at(
      List<String> hosts,
      String secret,
      String place,
      Optional<String> name,
      Optional<String> user) {
    return new SecretBinding(
        secret, hosts, place, name, user, List.of(), List.of(), false, false, Optional.empty());
  }

  private static List<String> all(String first, String... others) {
    return Stream.concat(Stream.of(first), Stream.of(others)).toList();
  }

  static SecretBinding of(JsonObject json) {
    return new SecretBinding(
        json.requireText("secret"),
        json.texts("hosts"),
        json.requireText("place"),
        json.findText("name"),
        json.findText("user"),
        json.texts("methods"),
        json.texts("paths"),
        json.flag("added"),
        json.flag("plainHttp"),
        json.findText("env"));
  }

  /** The same for these hosts instead. */
  public SecretBinding withHosts(List<String> newHosts) {
    return new SecretBinding(
        secret, newHosts, place, name, user, methods, paths, unasked, plainHttp, env);
  }

  /** Only in requests with one of these methods. */
  public SecretBinding methods(String first, String... others) {
    return new SecretBinding(
        secret, hosts, place, name, user, all(first, others), paths, unasked, plainHttp, env);
  }

  /** Only in requests to one of these paths, in which {@code *} stands for any characters. */
  public SecretBinding paths(String first, String... others) {
    return new SecretBinding(
        secret, hosts, place, name, user, methods, all(first, others), unasked, plainHttp, env);
  }

  /** Added to each request there: the client need not know of it, and sends no placeholder. */
  public SecretBinding added() {
    return new SecretBinding(
        secret, hosts, place, name, user, methods, paths, true, plainHttp, env);
  }

  /** Also where the connection is not encrypted, so that others on the way can read it. */
  public SecretBinding overPlainHttp() {
    return new SecretBinding(secret, hosts, place, name, user, methods, paths, unasked, true, env);
  }

  /** The variable inside that holds the placeholder. */
  public SecretBinding env(String variable) {
    return new SecretBinding(
        secret,
        hosts,
        place,
        name,
        user,
        methods,
        paths,
        unasked,
        plainHttp,
        Optional.of(variable));
  }

  JsonObject toBody() {
    var json =
        JsonObject.builder()
            .put("secret", secret)
            .put("hosts", JsonValue.ofTexts(hosts))
            .put("place", place);
    name.ifPresent(text -> json.put("name", text));
    user.ifPresent(text -> json.put("user", text));
    json.put("methods", JsonValue.ofTexts(methods))
        .put("paths", JsonValue.ofTexts(paths))
        .put("added", unasked)
        .put("plainHttp", plainHttp);
    env.ifPresent(text -> json.put("env", text));
    return json.build();
  }

  /** The same as one line of JSON, with the names that the HTTP API uses. */
  public String toJson() {
    return Json.writeText(toBody());
  }
}
