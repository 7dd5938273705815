/**
 * All of a home in one file, taken while the server runs, and made a home again. Enter at {@link
 * dev.cove.control.backup.Backups} and {@link dev.cove.control.backup.BackupFile}. Single things
 * that go to another machine are in {@code move}.
 */
@NullMarked
package dev.cove.control.backup;

import org.jspecify.annotations.NullMarked;
