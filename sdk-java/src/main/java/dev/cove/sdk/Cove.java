package dev.cove.sdk;

import dev.cove.sdk.transport.Request;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A connection to one Cove server. Safe for many threads; make one and keep it. */
public final class Cove implements AutoCloseable {
  private static final Duration HEALTH_TIMEOUT = Duration.ofSeconds(5);

  private final Api api;
  private final Sandboxes sandboxes;
  private final Checkpoints checkpoints;
  private final Templates templates;
  private final Moves moves;
  private final Volumes volumes;
  private final Secrets secrets;
  private final Keys keys;
  private final Projects projects;
  private final Events events;
  private final Webhooks webhooks;
  private final Budgets budgets;

  private Cove(Api api) {
    this.api = api;
    this.sandboxes = new Sandboxes(api);
    this.checkpoints = new Checkpoints(api);
    this.templates = new Templates(api);
    this.moves = new Moves(api);
    this.volumes = new Volumes(api);
    this.secrets = new Secrets(api);
    this.keys = new Keys(api);
    this.projects = new Projects(api);
    this.events = new Events(api);
    this.webhooks = new Webhooks(api);
    this.budgets = new Budgets(api);
  }

  /**
   * Connects to the server that {@code COVE_URL} and {@code COVE_API_KEY} name, or else to the one
   * on this machine, and acts in the project that {@code COVE_PROJECT} names.
   *
   * @throws CoveConnectionException when there is neither
   */
  public static Cove connect() {
    ServerAddress address =
        ServerAddress.find(System.getenv())
            .orElseThrow(() ->
                new CoveConnectionException(
                    "No Cove server runs here: start one with 'cove up',"
                        + " or set COVE_URL and COVE_API_KEY"));
    String project = System.getenv().getOrDefault("COVE_PROJECT", "");
    return project.isEmpty()
        ? connect(address.url(), address.apiKey())
        : connect(address.url(), address.apiKey(), project);
  }

  public static Cove connect(URI url, String apiKey) {
    return new Cove(new Api(url, apiKey, Optional.empty()));
  }

  /**
   * Acts in a project with an operator's key, whose own is {@code default}. A key of a project acts
   * there anyway.
   *
   * @param project {@code *} for all, where things are listed
   */
  public static Cove connect(URI url, String apiKey, String project) {
    return new Cove(new Api(url, apiKey, Optional.of(project)));
  }

  public Sandboxes sandboxes() {
    return sandboxes;
  }

  public Checkpoints checkpoints() {
    return checkpoints;
  }

  public Templates templates() {
    return templates;
  }

  public Moves moves() {
    return moves;
  }

  public Volumes volumes() {
    return volumes;
  }

  public Secrets secrets() {
    return secrets;
  }

  public Keys keys() {
    return keys;
  }

  public Projects projects() {
    return projects;
  }

  public Events events() {
    return events;
  }

  public Webhooks webhooks() {
    return webhooks;
  }

  public Budgets budgets() {
    return budgets;
  }

  public URI url() {
    return api.url();
  }

  /** What the server says of itself. */
  public SystemInfo system() {
    return api.fetch(Api.ROOT + "/system", SystemInfo::of);
  }

  /** Which tiers the server has, the cheapest first, and what they really are there. */
  public List<TierInfo> tiers() {
    return api.fetch(
        Api.ROOT + "/tiers", json -> json.objects("items").stream().map(TierInfo::of).toList());
  }

  /** Who takes how much of the server's disk. */
  public DiskUse disk() {
    return api.fetch(Api.ROOT + "/system/disk", DiskUse::of);
  }

  /**
   * Removes what nobody needs from the server's disk.
   *
   * @return how many bytes are free again
   */
  public long prune() {
    Request request = Request.of("POST", Api.ROOT + "/system/prune");
    return api.call(request, json -> json.requireLong("freedBytes"));
  }

  /** What sandboxes have used, also those that are gone. */
  public Usage usage(UsageQuery query) {
    return new UsagePages(api).fetch(query);
  }

  /** The same as a table for spreadsheets, with a line of headings. */
  public String usageCsv(UsageQuery query) {
    return new UsagePages(api).fetchCsv(query);
  }

  /** Whether the server answers and is ready. */
  public boolean healthy() {
    try {
      api.order(Request.of("GET", "/healthz").readTimeout(HEALTH_TIMEOUT));
      return true;
    } catch (CoveException e) {
      return false;
    }
  }

  @Override
  public void close() {
    api.close();
  }
}
