/** Cages from namespaces, seccomp and cgroups. */
@NullMarked
package dev.cove.engine.container;

import org.jspecify.annotations.NullMarked;
