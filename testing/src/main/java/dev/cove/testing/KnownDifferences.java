package dev.cove.testing;

import dev.cove.model.SandboxId;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/** Runs what an engine is known not to pass as well, and holds it to that. */
final class KnownDifferences implements InvocationInterceptor {
  @Override
  public void interceptTestMethod(
      Invocation<@Nullable Void> test,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    run(test, method, context);
  }

  @Override
  public void interceptTestTemplateMethod(
      Invocation<@Nullable Void> test,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    run(test, method, context);
  }

  private static void run(
      Invocation<@Nullable Void> test,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    String name = method.getExecutable().getName();
    var contract = (EngineContract) context.getRequiredTestInstance();
    Optional<String> why = Optional.ofNullable(contract.subject().differences().get(name));
    if (why.isEmpty()) {
      test.proceed();
      return;
    }
    Set<SandboxId> before = contract.engine().present();
    try {
      test.proceed();
    } catch (Exception | AssertionError e) {
      // What it would have taken away at its end.
      contract.engine().present().stream()
          .filter(id -> !before.contains(id))
          .forEach(contract.engine()::remove);
      throw new TestAbortedException("Known to differ: " + why.get(), e);
    }
    throw new AssertionError(
        "%s passes: it is no difference any more and must be taken off the list".formatted(name));
  }
}
