/**
 * E2B's secrets, which are those of our vault under other names. Enter at {@link SecretRoutes};
 * {@link HeaderRules} says how its rules for requests become bindings of ours.
 */
@NullMarked
package dev.cove.edge.e2b.secret;

import org.jspecify.annotations.NullMarked;
