/**
 * What an operator sees of the work: how often, how long, how often in vain, and what was part of
 * what. {@link dev.cove.model.observe.Step} is for what takes time, {@link
 * dev.cove.model.observe.Tally} for what is only counted.
 *
 * <p>One of each for the whole process, as with loggers. Names are few and fixed. Nothing that a
 * caller or a sandbox has said comes in here: no environment, argument, content or secret.
 */
@NullMarked
package dev.cove.model.observe;

import org.jspecify.annotations.NullMarked;
