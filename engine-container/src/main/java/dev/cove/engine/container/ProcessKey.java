package dev.cove.engine.container;

/**
 * A process that no other can be mistaken for until the next boot.
 *
 * @param startTime in clock ticks since boot, as {@code /proc/<pid>/stat} says
 */
record ProcessKey(int pid, long startTime) {}
