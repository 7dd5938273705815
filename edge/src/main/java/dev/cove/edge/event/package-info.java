/** The routes of events and of those who are told of them. */
@NullMarked
package dev.cove.edge.event;

import org.jspecify.annotations.NullMarked;
