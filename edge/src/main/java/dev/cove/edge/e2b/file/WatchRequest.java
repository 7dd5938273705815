package dev.cove.edge.e2b.file;

import com.fasterxml.jackson.annotation.JsonAlias;
import org.jspecify.annotations.Nullable;

/**
 * What is to be watched.
 *
 * @param allowNetworkMounts there are none here, so it is all the same
 */
record WatchRequest(
    @Nullable String path,
    @Nullable Boolean recursive,
    @JsonAlias("include_entry") @Nullable Boolean includeEntry,
    @JsonAlias("allow_network_mounts") @Nullable Boolean allowNetworkMounts) {}
