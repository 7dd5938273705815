/**
 * HTTP/1 on the wire, read strictly: one request at a time, and none whose end two programs could
 * see at different places.
 */
@NullMarked
package dev.cove.egress.http;

import org.jspecify.annotations.NullMarked;
