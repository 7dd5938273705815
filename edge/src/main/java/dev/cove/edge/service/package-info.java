/** The services of sandboxes, and what they have said. */
@NullMarked
package dev.cove.edge.service;

import org.jspecify.annotations.NullMarked;
