package dev.cove.edge.event;

import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.cove.control.event.Event;

/**
 * An event as it is shown: the very text that webhooks are sent.
 *
 * @param json of the server's own making
 */
record EventBody(@JsonValue @JsonRawValue String json) {
  static EventBody of(Event event) {
    return new EventBody(event.toJson());
  }
}
