package dev.cove.server;

import java.util.List;

/** The settings cannot be used; every fault is named. */
final class ConfigException extends RuntimeException {
  private final List<String> faults;

  ConfigException(List<String> faults) {
    super(String.join("; ", faults));
    this.faults = List.copyOf(faults);
  }

  List<String> faults() {
    return faults;
  }
}
