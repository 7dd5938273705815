/** The routes of projects, which are for operators alone. */
@NullMarked
package dev.cove.edge.project;

import org.jspecify.annotations.NullMarked;
