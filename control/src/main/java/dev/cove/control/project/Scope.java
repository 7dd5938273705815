package dev.cove.control.project;

import dev.cove.model.ProjectName;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * On whose behalf the current thread works: in one project, or, where an operator lists things, in
 * all of them.
 *
 * <p>The edge binds one around each request, and whoever finds things by id or name asks here, so
 * that no route can forget to. The server's own work runs with none: it addresses things by their
 * ids and sees them all; what it makes and names is of the default project.
 *
 * @param project none for all
 * @param operator whether it is an operator who asks
 */
public record Scope(Optional<ProjectName> project, boolean operator) {
  private static final ScopedValue<Scope> CURRENT = ScopedValue.newInstance();

  /** All projects. */
  public static final Scope EVERYTHING = new Scope(Optional.empty(), true);

  /** Somebody who has nothing to do with any other project. */
  public static Scope ofTenant(ProjectName project) {
    return new Scope(Optional.of(project), false);
  }

  /** An operator who acts in a project. */
  public static Scope ofOperator(ProjectName project) {
    return new Scope(Optional.of(project), true);
  }

  /** That of the current thread, for work that goes on in another. */
  public static Scope current() {
    return CURRENT.orElse(EVERYTHING);
  }

  /** Where what is made now belongs, and where names are looked up. */
  public static ProjectName here() {
    return current().project().orElse(ProjectName.DEFAULT);
  }

  /** Whether the current thread may know of what is that project's. */
  public static boolean covers(ProjectName owner) {
    return current().project().map(owner::equals).orElse(true);
  }

  /**
   * The same for what may be no project's, such as keys of operators: those see it where they are
   * when they say nothing, in the default project.
   */
  public static boolean covers(Optional<ProjectName> owner) {
    return owner
        .map(project -> covers(project))
        .orElseGet(() -> current().operator() && here().isDefault());
  }

  /** Works on behalf of this. */
  public <T, X extends Throwable> T call(ScopedValue.CallableOp<? extends T, X> work) throws X {
    return ScopedValue.where(CURRENT, this).call(work);
  }

  /** The same work, whichever thread does it. */
  public <T> Callable<T> around(Callable<T> work) {
    return () -> call(work::call);
  }
}
