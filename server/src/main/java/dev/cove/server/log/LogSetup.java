package dev.cove.server.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.io.FileDescriptor;
import java.io.FileOutputStream;

/** Found by logback as a service when the first logger is asked for. */
public final class LogSetup extends ContextAwareBase implements Configurator {
  @Override
  public ExecutionStatus configure(LoggerContext context) {
    // What is no format is told by the settings, and by then somebody must be able to say so.
    LogFormat format =
        LogFormat.find(System.getenv().getOrDefault(LogFormat.SETTING, "")).orElse(LogFormat.TEXT);
    var appender = new PatientAppender(new FileOutputStream(FileDescriptor.err), format);
    appender.setContext(context);
    appender.setName("stderr");
    appender.start();
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.WARN);
    root.addAppender(appender);
    context.getLogger("dev.cove").setLevel(Level.INFO);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }
}
