/**
 * Which secrets go out, where to, and at which place of a request. Names and places only: no value
 * of a secret ever comes in here.
 */
@NullMarked
package dev.cove.model.secret;

import org.jspecify.annotations.NullMarked;
