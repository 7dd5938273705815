package dev.cove.sdk;

/**
 * What a backup holds. Each method gives a copy.
 *
 * @param keys whether the keys are in it that open the vault and sign for webhooks
 * @param sandboxes whether the sandboxes are in it, with their files
 * @param ledgerOnly whether nothing is in it that has files
 */
public record BackupOptions(boolean keys, boolean sandboxes, boolean ledgerOnly) {
  /** Everything but keys. */
  public static BackupOptions defaults() {
    return new BackupOptions(false, true, false);
  }

  /** The file is then as secret as the keys are. */
  public BackupOptions withKeys() {
    return new BackupOptions(true, sandboxes, ledgerOnly);
  }

  /** Their checkpoints stay in it. */
  public BackupOptions withoutSandboxes() {
    return new BackupOptions(keys, false, ledgerOnly);
  }

  /** Neither sandboxes nor checkpoints, volumes and templates with layers of their own. */
  public BackupOptions onlyLedger() {
    return new BackupOptions(keys, false, true);
  }
}
