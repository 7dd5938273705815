/** Contract suites that every implementation must pass, and fixtures for real components. */
@NullMarked
package dev.cove.testing;

import org.jspecify.annotations.NullMarked;
