package dev.cove.edge.e2b.secret;

import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Text;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.secret.SecretBinding;
import dev.cove.model.secret.SecretName;
import dev.cove.model.secret.SecretPlace;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Headers that are put into requests to some hosts, as E2B's users write them: with {@code
 * ${e2b.secrets.NAME}} where the value of a secret belongs. They become bindings of secrets.
 */
public final class HeaderRules {
  private static final Pattern VALUE =
      Pattern.compile("(?<scheme>Bearer )?\\$\\{e2b\\.secrets\\.(?<name>[A-Za-z0-9._-]{1,60})}");
  private static final Pattern PLAIN = Pattern.compile("(?<scheme>Bearer )?(?<value>.+)");
  private static final String FILLED = "${e2b.";
  private static final String HIDDEN = "***";
  private static final String AUTHORIZATION = "authorization";

  private HeaderRules() {}

  /** What is done to requests to one host. */
  public record Rule(@Nullable Transform transform) {}

  public record Transform(@Nullable Map<String, @Nullable String> headers) {
    @Override
    public String toString() {
      return "Transform[hidden]";
    }
  }

  /** The host's rules, of which there are none without a caller's. */
  public static List<SecretBinding> bindings(
      @Nullable Map<String, @Nullable List<@Nullable Rule>> rules, RuleValues values) {
    var bindings = new ArrayList<SecretBinding>();
    if (rules == null) {
      return bindings;
    }
    rules.forEach((host, list) -> {
      for (Rule rule : Fields.require("network.rules[]", list)) {
        Transform transform = Fields.require("network.rules[][]", rule).transform();
        if (transform != null && transform.headers() != null) {
          transform
              .headers()
              .forEach((name, value) -> bindings.add(binding(host, name, value, values)));
        }
      }
    });
    if (bindings.size() > NetworkSettings.MAX_SECRETS) {
      throw new IllegalArgumentException(
          "network.rules has %d headers, at most %d are allowed"
              .formatted(bindings.size(), NetworkSettings.MAX_SECRETS));
    }
    return bindings;
  }

  private static SecretBinding binding(
      String host, String header, @Nullable String value, RuleValues values) {
    String text = Fields.require("network.rules: a header's value", value);
    boolean filled = text.contains(FILLED);
    boolean authorization = header.equalsIgnoreCase(AUTHORIZATION);
    Matcher matcher = (filled ? VALUE : PLAIN).matcher(text);
    if (!matcher.matches()) {
      // It may be the secret itself, so it is not repeated.
      throw new IllegalArgumentException(
          "network.rules: the value of header %s must be a line of text, or Secret.fill('NAME'), or"
                  .formatted(Text.quote(header))
              + " that behind 'Bearer '; put other values into a Secret first");
    }
    NetworkRule target = NetworkRule.of(host.toLowerCase(Locale.ROOT));
    if (!filled) {
      boolean bearer = matcher.group("scheme") != null && authorization;
      SecretPlace place = bearer ? new SecretPlace.Bearer() : new SecretPlace.Header(header);
      return bound(values.keep(bearer ? matcher.group("value") : text), target, place);
    }
    boolean bearer = matcher.group("scheme") != null;
    if (bearer && !authorization) {
      throw new IllegalArgumentException(
          "network.rules: 'Bearer ' goes with the header Authorization alone");
    }
    SecretName secret = SecretNames.ours(matcher.group("name"));
    SecretPlace place = bearer ? new SecretPlace.Bearer() : new SecretPlace.Header(header);
    return bound(secret, target, place);
  }

  private static SecretBinding bound(SecretName secret, NetworkRule target, SecretPlace place) {
    return new SecretBinding(secret, List.of(target), place, Set.of(), List.of(), true, false, "");
  }

  /** In E2B's words, whoever has set them; what has no word there is left out. */
  public static Map<String, List<Map<String, Object>>> shown(List<SecretBinding> bindings) {
    var headers = new TreeMap<String, Map<String, String>>();
    for (SecretBinding binding : bindings) {
      String fill =
          RuleValues.isOne(binding.secret())
              ? HIDDEN
              : FILLED + "secrets." + SecretNames.theirs(binding.secret()) + "}";
      for (NetworkRule host : binding.hosts()) {
        Map<String, String> known =
            headers.computeIfAbsent(host.hostAndPorts(), _ -> new TreeMap<>());
        switch (binding.place()) {
          case SecretPlace.Bearer _ -> known.put("Authorization", "Bearer " + fill);
          case SecretPlace.Header(var name) -> known.put(name, fill);
          case SecretPlace.Basic _, SecretPlace.Query _, SecretPlace.Body _ -> {}
        }
      }
    }
    var shown = new TreeMap<String, List<Map<String, Object>>>();
    headers.forEach((host, known) -> {
      if (!known.isEmpty()) {
        shown.put(host, List.of(Map.of("transform", Map.of("headers", known))));
      }
    });
    return shown;
  }
}
