/** Measures Cove beside its peers. */
@NullMarked
package dev.cove.bench;

import org.jspecify.annotations.NullMarked;
