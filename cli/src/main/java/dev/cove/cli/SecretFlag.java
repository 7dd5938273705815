package dev.cove.cli;

import dev.cove.sdk.SecretBinding;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A secret for a host, written {@code NAME@HOST} or {@code NAME@HOST=PLACE}. */
final class SecretFlag implements ITypeConverter<SecretBinding> {
  static final String LABEL = "NAME@HOST[=PLACE]";

  @Override
  public SecretBinding convert(String text) {
    int at = text.indexOf('@');
    int equals = text.indexOf('=', at + 1);
    String host = text.substring(at + 1, equals < 0 ? text.length() : equals);
    if (at <= 0 || host.isEmpty()) {
      throw new TypeConversionException("'" + text + "' is not " + LABEL);
    }
    return binding(text.substring(0, at), host, equals < 0 ? "bearer" : text.substring(equals + 1));
  }

  private static SecretBinding binding(String secret, String host, String place) {
    int colon = place.indexOf(':');
    String detail = place.substring(colon + 1);
    String kind = colon < 0 ? place : place.substring(0, colon + 1);
    return switch (detail.isEmpty() ? "" : kind) {
      case "bearer" -> SecretBinding.bearer(secret, host);
      case "basic:" -> SecretBinding.basic(secret, detail, host);
      case "header:" -> SecretBinding.header(secret, detail, host);
      case "query:" -> SecretBinding.query(secret, detail, host);
      case "body:" -> SecretBinding.body(secret, detail, host);
      default ->
          throw new TypeConversionException(
              "'%s' is none of bearer, basic:USER, header:NAME, query:NAME and body:NAME"
                  .formatted(place));
    };
  }

  /** As {@link #convert} reads it. */
  static String place(SecretBinding binding) {
    return binding
        .name()
        .or(binding::user)
        .map(detail -> binding.place() + ":" + detail)
        .orElse(binding.place());
  }

  /** Makes one of all that differ in their hosts alone. */
  static List<SecretBinding> merged(List<SecretBinding> bindings) {
    Map<SecretBinding, Set<String>> hosts = new LinkedHashMap<>();
    for (SecretBinding binding : bindings) {
      String variable = binding.env().orElse(binding.secret());
      hosts
          .computeIfAbsent(binding.withHosts(List.of()).env(variable), _ -> new LinkedHashSet<>())
          .addAll(binding.hosts());
    }
    return hosts.entrySet().stream()
        .map(entry -> entry.getKey().withHosts(List.copyOf(entry.getValue())))
        .toList();
  }
}
