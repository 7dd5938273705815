package dev.cove.egress;

import dev.cove.egress.intercept.HttpInterception;
import java.time.Duration;

/** Limits that are the usual ones but for some. */
final class Limits {
  static final HttpInterception NO_HTTP = HttpInterception.NONE;

  private int connections = 4_096;
  private int newConnections = 500;
  private int nameQueries = 300;
  private long bytes;
  private int visits = 2_048;
  private Duration idle = Duration.ofHours(1);
  private Duration dial = Duration.ofSeconds(10);
  private Duration head = Duration.ofSeconds(10);
  private int waiting = 64;
  private Duration answer = Duration.ofSeconds(60);

  static Limits usual() {
    return new Limits();
  }

  Limits connections(int number) {
    connections = number;
    return this;
  }

  Limits newConnections(int number) {
    newConnections = number;
    return this;
  }

  Limits nameQueries(int number) {
    nameQueries = number;
    return this;
  }

  Limits bytes(long number) {
    bytes = number;
    return this;
  }

  Limits visits(int number) {
    visits = number;
    return this;
  }

  Limits idle(Duration time) {
    idle = time;
    return this;
  }

  Limits dial(Duration time) {
    dial = time;
    return this;
  }

  Limits head(Duration time) {
    head = time;
    return this;
  }

  Limits waiting(int number) {
    waiting = number;
    return this;
  }

  Limits answer(Duration time) {
    answer = time;
    return this;
  }

  GatewayLimits limits() {
    return new GatewayLimits(
        connections, newConnections, nameQueries, bytes, visits, idle, dial, head, waiting, answer);
  }
}
