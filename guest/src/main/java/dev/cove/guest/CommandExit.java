package dev.cove.guest;

import java.time.Duration;

/**
 * How a command ended.
 *
 * @param code its exit code, or 128 + signal
 * @param signal the signal that ended it, or 0
 * @param timedOut it was killed at its time limit
 */
public record CommandExit(int code, int signal, boolean timedOut, Duration duration) {}
