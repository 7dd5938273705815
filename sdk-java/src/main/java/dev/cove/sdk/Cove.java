package dev.cove.sdk;

import dev.cove.sdk.transport.Request;
import java.net.URI;
import java.time.Duration;

/** A connection to one Cove server. Safe for many threads; make one and keep it. */
public final class Cove implements AutoCloseable {
  private static final Duration HEALTH_TIMEOUT = Duration.ofSeconds(5);

  private final Api api;
  private final Sandboxes sandboxes;
  private final Checkpoints checkpoints;
  private final Templates templates;
  private final Moves moves;
  private final Volumes volumes;
  private final Keys keys;
  private final Events events;
  private final Webhooks webhooks;

  private Cove(Api api) {
    this.api = api;
    this.sandboxes = new Sandboxes(api);
    this.checkpoints = new Checkpoints(api);
    this.templates = new Templates(api);
    this.moves = new Moves(api);
    this.volumes = new Volumes(api);
    this.keys = new Keys(api);
    this.events = new Events(api);
    this.webhooks = new Webhooks(api);
  }

  /**
   * Connects to the server that {@code COVE_URL} and {@code COVE_API_KEY} name, or else to the one
   * on this machine.
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
    return connect(address.url(), address.apiKey());
  }

  public static Cove connect(URI url, String apiKey) {
    return new Cove(new Api(url, apiKey));
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

  public Keys keys() {
    return keys;
  }

  public Events events() {
    return events;
  }

  public Webhooks webhooks() {
    return webhooks;
  }

  public URI url() {
    return api.url();
  }

  /** What the server says of itself. */
  public SystemInfo system() {
    return api.fetch(Api.ROOT + "/system", SystemInfo::of);
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
