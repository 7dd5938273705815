/**
 * Who needs which layers, and the end of those that nobody needs. Enter at {@link
 * dev.cove.control.layer.Layers}. What a layer is for does not come in here: whoever needs some is
 * a {@link dev.cove.control.layer.LayerHolder}.
 */
@NullMarked
package dev.cove.control.layer;

import org.jspecify.annotations.NullMarked;
