/** The container engine against its contract, and what is particular to it. */
@NullMarked
package dev.cove.engine.container;

import org.jspecify.annotations.NullMarked;
