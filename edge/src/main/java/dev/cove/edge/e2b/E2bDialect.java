package dev.cove.edge.e2b;

import dev.cove.control.port.PortAddress;
import dev.cove.control.sandbox.Branches;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.EdgeServices;
import dev.cove.edge.e2b.file.FilesystemRoutes;
import dev.cove.edge.e2b.file.UploadRoutes;
import dev.cove.edge.e2b.process.ProcessRpc;
import dev.cove.edge.e2b.sandbox.Handles;
import dev.cove.edge.e2b.sandbox.LogRoutes;
import dev.cove.edge.e2b.sandbox.MetricRoutes;
import dev.cove.edge.e2b.sandbox.RestRoutes;
import dev.cove.edge.e2b.sandbox.SandboxRoutes;
import dev.cove.edge.e2b.sandbox.SnapshotRoutes;
import dev.cove.edge.e2b.sandbox.Snapshots;
import dev.cove.edge.e2b.sandbox.TeamRoutes;
import dev.cove.edge.e2b.sandbox.TemplateNames;
import dev.cove.edge.e2b.secret.RuleValues;
import dev.cove.edge.e2b.secret.SecretRoutes;
import dev.cove.edge.e2b.template.TemplateRoutes;
import dev.cove.edge.e2b.volume.VolumeRoutes;
import dev.cove.edge.file.ListingBudget;
import dev.cove.edge.http.Dialect;
import dev.cove.edge.http.Problem;
import dev.cove.edge.http.Route;
import dev.cove.edge.port.OtherAccess;
import dev.cove.edge.port.PortClosedException;
import dev.cove.edge.port.PortNames;
import dev.cove.edge.sandbox.TemplateSupply;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpFields;

/** The paths below {@code /e2b}, for {@code E2B_API_URL} and {@code E2B_SANDBOX_URL}. */
public final class E2bDialect implements Dialect {
  /** What all paths but one begin with. */
  public static final String ROOT = "/e2b";

  /** Labels that begin like this say something to this dialect alone, and are no metadata. */
  public static final String OWN_LABELS = "cove.e2b/";

  private static final String BEARER = "Bearer ";
  private static final String KEY_PREFIX = "e2b_";
  private static final String OUR_PREFIX = "cove_";

  /** Names below the domain for the control API, and for a sandbox that headers name. */
  private static final Set<String> SHARED_HOSTS = Set.of("api", "sandbox");

  private final List<Route> routes;
  private final PortNames names;
  private final TrafficAccess traffic;
  private final Envd envd;

  public E2bDialect(
      EdgeServices services,
      TemplateSupply supply,
      ListingBudget listings,
      PortNames names,
      boolean makesBase) {
    this.names = names;
    SandboxLifecycle lifecycle = services.lifecycle();
    var timeouts = new Timeouts(lifecycle, Clock.systemUTC());
    this.envd = new Envd(lifecycle, timeouts, services.e2bTokens());
    this.traffic = new TrafficAccess(envd);
    var handles = new Handles(envd, names);
    var figures = new SandboxFigures(lifecycle, Clock.systemUTC());
    var templates = new TemplateNames(services.templates(), makesBase);
    var snapshots = new Snapshots(services.checkpoints());
    Branches branches = services.branches();
    var values =
        new RuleValues(
            services.node().secrets(), services.e2bTokens(), lifecycle, services.projects());
    this.routes =
        Stream.of(
                new EnvdRoutes(envd, lifecycle, figures).routes(),
                new ProcessRpc(envd, lifecycle, services.automatic()).routes(),
                new FilesystemRoutes(envd, lifecycle, listings).routes(),
                new UploadRoutes(envd).routes(),
                new MetricRoutes(envd, figures).routes(),
                new SandboxRoutes(
                        lifecycle, envd, handles, templates, supply, branches, snapshots, values)
                    .routes(),
                new RestRoutes(lifecycle, envd, handles, timeouts).routes(),
                new SnapshotRoutes(branches, snapshots, envd, handles, timeouts).routes(),
                new TemplateRoutes(
                        services.templates(),
                        services.builds(),
                        templates,
                        snapshots,
                        services.e2bTokens())
                    .routes(),
                new LogRoutes(envd, services.services().logs()).routes(),
                new TeamRoutes().routes(),
                new SecretRoutes(services.node().secrets()).routes(),
                new VolumeRoutes(services.volumes(), services.e2bTokens()).routes())
            .flatMap(List::stream)
            .toList();
  }

  /** Its clients make signed addresses of files without the path of E2B_SANDBOX_URL. */
  @Override
  public boolean owns(String path) {
    return path.startsWith(ROOT + "/") || path.equals(ROOT) || path.equals("/files");
  }

  @Override
  public boolean ownsHost(String host) {
    return names
        .label(host)
        .filter(label -> isShared(label) || daemon(label).isPresent())
        .isPresent();
  }

  @Override
  public boolean speaksOfPort(String host) {
    return names
        .label(host)
        .flatMap(PortAddress::parseLabel)
        .flatMap(address -> envd.known(address.sandbox().value()))
        .filter(Timeouts::isOurs)
        .isPresent();
  }

  private static boolean isShared(String label) {
    return SHARED_HOSTS.contains(label);
  }

  private static Optional<PortAddress> daemon(String label) {
    return PortAddress.parseLabel(label).filter(address -> address.port() == Envd.PORT);
  }

  /**
   * By host names the paths are the same without what ours begin with. By headers, any other port
   * than the daemon's is a port like those that have addresses.
   */
  @Override
  public Optional<Renamed> rename(String host, String path, HttpFields headers) {
    Optional<String> label = names.label(host).filter(_ -> ownsHost(host));
    Optional<PortAddress> daemon = label.flatMap(E2bDialect::daemon);
    if (daemon.isPresent()) {
      return Optional.of(
          new Renamed(
              ROOT + path,
              Map.of(
                  Envd.ID_FIELD,
                  daemon.get().sandbox().value(),
                  Envd.PORT_FIELD,
                  String.valueOf(Envd.PORT))));
    }
    String below = label.isPresent() ? ROOT + path : path;
    Optional<PortAddress> other = port(headers).filter(_ -> below.startsWith(ROOT + "/"));
    if (other.isPresent()) {
      envd.requireKnown(other.get().sandbox().value());
      String inner = below.substring(ROOT.length());
      return Optional.of(new Renamed(PortNames.path(other.get(), inner), Map.of()));
    }
    return label.map(_ -> new Renamed(below, Map.of()));
  }

  private static Optional<PortAddress> port(HttpFields headers) {
    List<String> ids = headers.getValuesList(Envd.ID_FIELD);
    List<String> ports = headers.getValuesList(Envd.PORT_FIELD);
    return ids.size() == 1 && ports.size() == 1
        ? PortAddress.parse(Envd.withoutClient(ids.getFirst()), ports.getFirst())
            .filter(address -> address.port() != Envd.PORT)
        : Optional.empty();
  }

  /** Who may use ports. */
  public OtherAccess portAccess() {
    return traffic;
  }

  @Override
  public List<Route> routes() {
    return routes;
  }

  /** The same digits as in our own keys, since its clients insist on the prefix. */
  @Override
  public Optional<String> key(HttpFields headers) {
    List<String> keys = headers.getValuesList("X-API-Key");
    List<String> others = headers.getValuesList("Authorization");
    if (keys.isEmpty() && others.size() == 1) {
      return Optional.of(ours(bearer(others.getFirst())));
    }
    return keys.size() == 1 ? Optional.of(ours(keys.getFirst())) : Optional.empty();
  }

  /** What an access token would be, is here a key; empty where it is none. */
  public static String bearer(String authorization) {
    return authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? authorization.substring(BEARER.length()).strip()
        : "";
  }

  private static String ours(String key) {
    return key.startsWith(KEY_PREFIX) ? OUR_PREFIX + key.substring(KEY_PREFIX.length()) : key;
  }

  @Override
  public boolean refusesUnknownParameters() {
    return false;
  }

  @Override
  public Reply refusal(Throwable failure, Problem problem) {
    return switch (failure) {
      case SandboxGoneException gone -> Reply.json(502, gone.body());
      case PortClosedException closed -> Reply.json(502, ClosedBody.of(closed.address()));
      default -> {
        // What failed inside a sandbox is the caller's matter, and E2B has no finer word for it.
        int status = problem.status() == 422 ? 400 : problem.status();
        yield Reply.json(status, new ErrorBody(status, problem.detail()));
      }
    };
  }

  record ClosedBody(String sandboxId, String message, int port, int code) {
    static ClosedBody of(PortAddress address) {
      return new ClosedBody(
          address.sandbox().value(),
          "The sandbox is running but port is not open",
          address.port(),
          502);
    }
  }

  /** Clients decide by the number, not by the status. */
  record ErrorBody(int code, String message) {}
}
