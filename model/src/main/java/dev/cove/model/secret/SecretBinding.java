package dev.cove.model.secret;

import dev.cove.model.ProjectName;
import dev.cove.model.network.Destination;
import dev.cove.model.network.HostPattern;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.network.NetworkRule.Request;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Lets a secret out to some hosts, at one place of requests. Inside the sandbox there is only a
 * placeholder for it.
 *
 * @param hosts names, perhaps with ports; without conditions
 * @param methods of requests; empty for all
 * @param paths of requests, in which {@code *} stands for any characters; empty for all
 * @param added whether it is put into requests that hold nothing at its place, and not only where
 *     the placeholder is
 * @param plainHttp whether it may go out without TLS too
 * @param env the variable that holds the placeholder inside; empty for none
 */
public record SecretBinding(
    SecretName secret,
    List<NetworkRule> hosts,
    SecretPlace place,
    Set<String> methods,
    List<String> paths,
    boolean added,
    boolean plainHttp,
    String env) {
  private static final int MAX_HOSTS = 32;
  private static final Pattern ENV = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");

  public SecretBinding {
    hosts = List.copyOf(hosts);
    methods = Set.copyOf(methods);
    paths = List.copyOf(paths);
    if (hosts.isEmpty() || hosts.size() > MAX_HOSTS) {
      throw new IllegalArgumentException("A secret is bound to 1 to %d hosts".formatted(MAX_HOSTS));
    }
    hosts.forEach(SecretBinding::requireHost);
    hosts.getFirst().withRequests(methods, paths);
    if (added && place instanceof SecretPlace.Body) {
      throw new IllegalArgumentException(
          "A secret can not be added to a body: there it takes the place of its placeholder");
    }
    if (!env.isEmpty() && !ENV.matcher(env).matches()) {
      throw new IllegalArgumentException(
          "A variable's name is letters, digits and _ (at most 128, no digit first)");
    }
    if (env.startsWith("COVE_")) {
      throw new IllegalArgumentException("Variables that begin with COVE_ are Cove's own");
    }
  }

  private static void requireHost(NetworkRule host) {
    if (host.conditional()) {
      throw new IllegalArgumentException(
          "The methods and paths of a secret are not part of its hosts");
    }
    boolean narrow =
        switch (host.host()) {
          case HostPattern.Exactly _ -> true;
          case HostPattern.Below(var parent) -> parent.value().indexOf('.') >= 0;
          case HostPattern.Anything _, HostPattern.Within _ -> false;
        };
    if (!narrow) {
      throw new IllegalArgumentException(
          "A secret is bound to names as in api.example.com or *.example.com, not to %s"
              .formatted(host.host()));
    }
  }

  /** The same of the secret that this project calls so. */
  public SecretBinding in(ProjectName owner) {
    return new SecretBinding(secret.in(owner), hosts, place, methods, paths, added, plainHttp, env);
  }

  /** Whether it has to do with any request there. */
  public boolean concerns(Destination destination) {
    return hosts.stream().anyMatch(host -> host.matches(destination));
  }

  /** Whether it goes out with that request; never where its path could be read in two ways. */
  public boolean appliesTo(Destination destination, Request request) {
    return concerns(destination) && hosts.getFirst().withRequests(methods, paths).matches(request);
  }
}
