/** The Java SDK. */
@NullMarked
package dev.cove.sdk;

import org.jspecify.annotations.NullMarked;
