package dev.cove.bench.measure;

/** Tells whoever waits what is being done. */
@FunctionalInterface
public interface Progress {
  void say(String what);
}
