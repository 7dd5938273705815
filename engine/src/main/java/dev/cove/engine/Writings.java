package dev.cove.engine;

import java.nio.file.Path;
import java.util.List;

/**
 * What was written to the workspaces of a sandbox, to be looked at.
 *
 * <p>Each folder is the writable folder of an overlay without redirects, indexes and copied
 * metadata: it says what was changed, and by what is not there what was not. Files have the ids
 * that the sandbox sees. What is in them was chosen by the sandbox: whoever reads follows no link.
 */
public interface Writings extends AutoCloseable {
  /**
   * Folders that can be opened until this is closed, the uppermost first; what is open then stays
   * so. None where nothing was ever written.
   */
  List<Path> of(RootFs.Workspace workspace);

  @Override
  void close();
}
