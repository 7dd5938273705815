package dev.cove.control.backup;

/**
 * What a backup shall hold.
 *
 * @param keys the key of the vault, that of webhooks and that of the command line, with which the
 *     file is as secret as all of them
 * @param sandboxes those that are there, with their files; without them their checkpoints stay
 * @param onlyLedger neither sandboxes nor anything else that has files: what is left is small
 */
public record BackupWish(boolean keys, boolean sandboxes, boolean onlyLedger) {}
