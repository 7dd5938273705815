package dev.cove.model.observe;

import java.util.concurrent.atomic.LongAdder;

/** Something that is counted. */
@SuppressWarnings("ImmutableEnumChecker") // counts of this process, which only grow
public enum Tally {
  WARM_CAGES_TAKEN("cove_warm_cages_taken_total", "Creates that found a cage standing ready."),
  WARM_CAGES_MISSED(
      "cove_warm_cages_missed_total", "Creates that could have used a warm cage and found none."),
  LINKS_LOST("cove_agent_links_lost_total", "Links to agents that broke."),
  SANDBOXES_LOST("cove_sandboxes_lost_total", "Sandboxes that ended without being asked to."),
  SERVICE_RESTARTS(
      "cove_service_restarts_total", "Services that were started again by their rule."),
  SERVICES_FAILED("cove_services_failed_total", "Services that ended too often in a row."),
  LOG_LINES_LOST("cove_log_lines_lost_total", "Lines of services that could not be written."),
  EGRESS_CONNECTIONS("cove_egress_connections_total", "Connections from sandboxes that were made."),
  EGRESS_DENIED("cove_egress_denied_total", "Connections and names that were denied."),
  EGRESS_SENT("cove_egress_sent_bytes_total", "Bytes that sandboxes sent."),
  EGRESS_RECEIVED("cove_egress_received_bytes_total", "Bytes that sandboxes received."),
  WEBHOOKS_TAKEN("cove_webhook_deliveries_total", "Messages that webhooks took."),
  WEBHOOKS_REFUSED("cove_webhook_failures_total", "Messages that webhooks did not take."),
  SPANS_SENT("cove_trace_spans_sent_total", "Spans that a collector took."),
  SPANS_DROPPED("cove_trace_spans_dropped_total", "Spans that no collector took in time.");

  private final String metric;
  private final String help;
  private final LongAdder count = new LongAdder();

  Tally(String metric, String help) {
    this.metric = metric;
    this.help = help;
  }

  public String metric() {
    return metric;
  }

  public String help() {
    return help;
  }

  public void increment() {
    count.increment();
  }

  public void add(long more) {
    count.add(more);
  }

  public long sum() {
    return count.sum();
  }
}
