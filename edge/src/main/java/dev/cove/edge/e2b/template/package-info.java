/**
 * Templates and their builds as E2B's clients ask for them. Enter at {@link TemplateRoutes}; {@link
 * BuildWish} turns its steps into ours, and {@link BuildJobs} remembers builds until nobody asks.
 */
@NullMarked
package dev.cove.edge.e2b.template;

import org.jspecify.annotations.NullMarked;
