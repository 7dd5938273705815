package dev.cove.egress.relay;

import dev.cove.model.network.Destination;

/**
 * By what right a connection goes on.
 *
 * @param answered the owner was asked and said yes
 * @param byRequest each request over it is decided on for itself
 */
public record Right(Destination destination, boolean answered, boolean byRequest) {}
