package dev.cove.control.health;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * Something without which the server cannot do its work.
 *
 * @param complaint what is wrong with it now and what to do, in a sentence that anybody may read
 */
record Part(String name, Supplier<Optional<String>> complaint) {}
