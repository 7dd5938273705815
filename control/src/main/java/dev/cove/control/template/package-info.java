/**
 * What sandboxes can begin with, by name. Enter at {@link dev.cove.control.template.Catalogue}.
 *
 * <p>A template has numbered versions that never change, and tags that point to them. How one is
 * made is not known here.
 */
@NullMarked
package dev.cove.control.template;

import org.jspecify.annotations.NullMarked;
