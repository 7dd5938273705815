package dev.cove.edge.secret;

import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Text;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.secret.SecretBinding;
import dev.cove.model.secret.SecretName;
import dev.cove.model.secret.SecretPlace;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Where a secret goes into what a sandbox sends, as callers write it. */
public record BindingBody(
    @Nullable String secret,
    @Nullable List<@Nullable String> hosts,
    @Nullable String place,
    @Nullable String name,
    @Nullable String user,
    @Nullable List<@Nullable String> methods,
    @Nullable List<@Nullable String> paths,
    @Nullable Boolean added,
    @Nullable Boolean plainHttp,
    @Nullable String env) {
  /** The same, as they read it. */
  public record Shown(
      String secret,
      List<String> hosts,
      String place,
      Optional<String> name,
      Optional<String> user,
      List<String> methods,
      List<String> paths,
      boolean added,
      boolean plainHttp,
      String env) {
    static Shown of(SecretBinding binding) {
      String place = binding.place().toString();
      int colon = place.indexOf(':');
      Optional<String> detail =
          colon < 0 ? Optional.empty() : Optional.of(place.substring(colon + 1));
      boolean basic = binding.place() instanceof SecretPlace.Basic;
      return new Shown(
          binding.secret().value(),
          binding.hosts().stream().map(NetworkRule::hostAndPorts).toList(),
          colon < 0 ? place : place.substring(0, colon),
          basic ? Optional.empty() : detail,
          basic ? detail : Optional.empty(),
          binding.methods().stream().sorted().toList(),
          binding.paths(),
          binding.added(),
          binding.plainHttp(),
          binding.env());
    }
  }

  /** All of a list, which is bounded before it is looked at. */
  public static List<SecretBinding> allOf(
      String field, @Nullable List<@Nullable BindingBody> bodies) {
    List<@Nullable BindingBody> wanted = Fields.require(field, bodies);
    if (wanted.size() > NetworkSettings.MAX_SECRETS) {
      throw new IllegalArgumentException(
          "%s has %d entries, at most %d are allowed"
              .formatted(field, wanted.size(), NetworkSettings.MAX_SECRETS));
    }
    return wanted.stream()
        .map(body -> Fields.require("An item of " + field, body).toBinding(field + "[]"))
        .toList();
  }

  private SecretBinding toBinding(String field) {
    SecretName named = SecretRoutes.nameOf(Fields.require(field + ".secret", secret));
    try {
      return new SecretBinding(
          named,
          Fields.textList(field + ".hosts", hosts).stream().map(BindingBody::host).toList(),
          placeOf(Fields.require(field + ".place", place)),
          methodsOf(field),
          paths == null ? List.of() : Fields.textList(field + ".paths", paths),
          Boolean.TRUE.equals(added),
          Boolean.TRUE.equals(plainHttp),
          env == null ? named.value() : env);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "The secret %s can not be bound so: %s".formatted(named, e.getMessage()), e);
    }
  }

  private Set<String> methodsOf(String field) {
    return methods == null ? Set.of() : new HashSet<>(Fields.textList(field + ".methods", methods));
  }

  private static NetworkRule host(String text) {
    try {
      return NetworkRule.of(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s is no host: %s".formatted(Text.quote(text), e.getMessage()), e);
    }
  }

  private SecretPlace placeOf(String kind) {
    return switch (kind) {
      case "bearer" -> {
        requireAbsent("name", name);
        requireAbsent("user", user);
        yield new SecretPlace.Bearer();
      }
      case "basic" -> {
        requireAbsent("name", name);
        yield new SecretPlace.Basic(user == null ? "" : user);
      }
      case "header" -> new SecretPlace.Header(requireName());
      case "query" -> new SecretPlace.Query(requireName());
      case "body" -> new SecretPlace.Body(requireName());
      default ->
          throw new IllegalArgumentException(
              "place must be bearer, basic, header, query or body, was " + Text.quote(kind));
    };
  }

  private String requireName() {
    requireAbsent("user", user);
    return Fields.require("name", name);
  }

  private void requireAbsent(String field, @Nullable String value) {
    if (value != null) {
      throw new IllegalArgumentException(
          "%s says nothing where the place is %s".formatted(field, place));
    }
  }

  /** A list of them. */
  record Bindings(@Nullable List<@Nullable BindingBody> items) {}
}
