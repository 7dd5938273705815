/** What sandboxes may reach: their policies, what became of them, and questions to their owners. */
@NullMarked
package dev.cove.edge.network;

import org.jspecify.annotations.NullMarked;
