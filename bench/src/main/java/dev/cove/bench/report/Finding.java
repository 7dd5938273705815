package dev.cove.bench.report;

/** One line of a section. */
public sealed interface Finding {

  /** The stable name by which figures and machines find this line inside its section. */
  String key();

  /** The same for people. */
  String label();

  /** Something done many times. */
  record Timing(String key, String label, Samples samples) implements Finding {}

  /** Something counted or measured once. */
  record Quantity(String key, String label, double value, String unit) implements Finding {}
}
