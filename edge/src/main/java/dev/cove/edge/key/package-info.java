/** API keys over HTTP. A secret is told once, in the answer that made it. */
@NullMarked
package dev.cove.edge.key;

import org.jspecify.annotations.NullMarked;
