package dev.cove.review.tree;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** With whose rights calls on files are made. */
public sealed interface Rights {
  /** Those of the process. */
  Rights OWN = new OfProcess();

  /** Something that is done on files. */
  @FunctionalInterface
  interface Work<T> {
    T run() throws IOException;
  }

  <T> T run(Work<T> work) throws IOException;

  /** Those of the process. */
  record OfProcess() implements Rights {
    @Override
    public <T> T run(Work<T> work) throws IOException {
      return work.run();
    }
  }

  /**
   * Those of somebody on this host, and no more, for a process that is root. Each call is made as
   * that person, and the thread is itself again after it; so what else it has open, such as a
   * journal, stays root's. Only on a thread of {@link #apart}.
   */
  record OfOwner(int uid, int gid) implements Rights {
    @Override
    public <T> T run(Work<T> work) throws IOException {
      if (Thread.currentThread().isVirtual()) {
        throw new IllegalStateException("A virtual thread has no identity of its own");
      }
      FileCalls.becomeOnFiles(uid, gid);
      try {
        return work.run();
      } finally {
        FileCalls.becomeOnFiles(0, 0);
      }
    }
  }

  /** Whoever a folder belongs to. */
  static Rights ofOwner(Entry folder) {
    return new OfOwner(folder.uid(), folder.gid());
  }

  /** Runs something on a thread of its own that has no groups, and waits for it. */
  static <T> T apart(Callable<T> work) throws IOException {
    var task =
        new FutureTask<T>(() -> {
          FileCalls.leaveGroups();
          return work.call();
        });
    Thread _ = Thread.ofPlatform().name("cove-review").start(task);
    try {
      return task.get();
    } catch (InterruptedException e) {
      awaitEnd(task); // what is half done is brought to its end
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException fault) {
        throw fault;
      }
      if (e.getCause() instanceof RuntimeException fault) {
        throw fault;
      }
      throw new IllegalStateException(e);
    }
  }

  private static void awaitEnd(FutureTask<?> task) {
    while (!task.isDone()) {
      try {
        Object _ = task.get();
      } catch (InterruptedException | ExecutionException e) {
        // asked twice, and still it is brought to its end
      }
    }
  }
}
