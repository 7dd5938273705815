package dev.cove.review.text;

/**
 * Lines of one version in whose place there are others in the next: from a number, counted from 0,
 * to the one before {@code end}.
 */
record Edit(int start, int end, int newStart, int newEnd) {}
