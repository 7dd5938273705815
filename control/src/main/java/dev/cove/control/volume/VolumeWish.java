package dev.cove.control.volume;

/**
 * A volume that a new sandbox is to have.
 *
 * @param volume id or name
 */
public record VolumeWish(String volume, String target, boolean readOnly) {}
