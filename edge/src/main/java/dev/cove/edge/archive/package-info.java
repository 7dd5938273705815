/**
 * Folders as tar.gz, both ways. Enter at {@link ArchiveRoutes}.
 *
 * <p>An archive that comes in is hostile: {@link TarReader} bounds every length before it takes
 * memory, and {@link Unpacking} decides entry by entry what may be written. Nothing here touches
 * the host's own files: all writing is done by the agent, inside, with a sandbox user's rights.
 */
@NullMarked
package dev.cove.edge.archive;

import org.jspecify.annotations.NullMarked;
