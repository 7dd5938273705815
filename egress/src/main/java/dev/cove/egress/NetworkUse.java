package dev.cove.egress;

import dev.cove.model.meter.Counter;

/** What has passed between a sandbox and the world, or others of its group, through the gateway. */
public record NetworkUse(Counter sentBytes, Counter receivedBytes) {}
