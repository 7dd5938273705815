/** What sandboxes changed in projects of the host, to be looked at, applied or dropped. */
@NullMarked
package dev.cove.edge.review;

import org.jspecify.annotations.NullMarked;
