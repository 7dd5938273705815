package dev.cove.engine.container;

/** The spawner answered that it could not; the message is the failed step and the kernel's word. */
final class SpawnerRefusedException extends RuntimeException {
  SpawnerRefusedException(String message) {
    super(message);
  }
}
