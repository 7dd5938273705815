/**
 * The names that a sandbox asks for: answered with addresses that stand for them ({@link
 * dev.cove.egress.name.NameServer}), remembered ({@link dev.cove.egress.name.NameTable}), and
 * looked up for real ({@link dev.cove.egress.name.Resolver}). A name that may not be reached is
 * never asked of anybody outside: a question is a message too.
 */
@NullMarked
package dev.cove.egress.name;

import org.jspecify.annotations.NullMarked;
