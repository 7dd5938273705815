package dev.cove.edge.e2b.process;

import dev.cove.edge.e2b.rpc.Keepalive;
import dev.cove.edge.e2b.rpc.Rpc.Call;
import dev.cove.edge.e2b.rpc.RpcCode;
import dev.cove.edge.e2b.rpc.RpcRefusal;
import dev.cove.edge.e2b.rpc.RpcStream;
import dev.cove.edge.exec.Signals;
import dev.cove.edge.http.ClientGoneException;
import dev.cove.edge.http.ClientPresence;
import dev.cove.guest.CommandExit;
import dev.cove.guest.GuestLinkException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One client that listens to one command, from its start or from now on. */
final class Following {
  private static final Map<String, Object> KEEPALIVE =
      Map.of("event", Map.of("keepalive", Map.of()));

  private final Call call;
  private final RpcStream answer;
  private final LiveProcess process;
  private final Keepalive keepalive;
  private final CompletableFuture<Void> gone = new CompletableFuture<>();
  private final LiveProcess.Listener listener = this::hear;

  Following(Call call, RpcStream answer, LiveProcess process) {
    this.call = call;
    this.answer = answer;
    this.process = process;
    this.keepalive = new Keepalive(call, answer, KEEPALIVE);
  }

  /** Nothing that the command puts out from here on is missed, and its start is told first. */
  void begin(Runnable whenListening) throws IOException {
    try {
      answer.send(Map.of("event", Map.of("start", Map.of("pid", process.pid()))));
      process.add(listener);
    } finally {
      whenListening.run(); // also for one whose starter has left: it is to run on
    }
  }

  private void hear(Object event) throws IOException {
    try {
      answer.send(event);
    } catch (IOException e) {
      gone.complete(null);
      throw e;
    }
  }

  void run() throws IOException, InterruptedException {
    try (ClientPresence _ = call.exchange().watchClient(() -> gone.complete(null))) {
      CommandExit exit = awaitEnd();
      if (exit.timedOut()) {
        throw new RpcRefusal(RpcCode.DEADLINE_EXCEEDED, "the command ran out of its time");
      }
      answer.send(Map.of("event", Map.of("end", end(exit))));
    } finally {
      process.remove(listener);
    }
  }

  private CommandExit awaitEnd() throws IOException, InterruptedException {
    CompletableFuture<Object> either = CompletableFuture.anyOf(process.end(), gone);
    while (true) {
      try {
        either.get(keepalive.patience().toNanos(), TimeUnit.NANOSECONDS);
        if (gone.isDone()) {
          throw new ClientGoneException();
        }
        return process.end().join();
      } catch (TimeoutException _) {
        keepalive.beat();
      } catch (ExecutionException e) {
        throw new GuestLinkException("The link to the sandbox broke while a command ran", e);
      }
    }
  }

  private static Map<String, Object> end(CommandExit exit) {
    var end = new LinkedHashMap<String, Object>();
    if (exit.signal() != 0) {
      String status = "signal: " + signal(exit.signal());
      end.put("exitCode", -1);
      end.put("exited", false);
      end.put("status", status);
      end.put("error", status);
      return end;
    }
    String status = "exit status " + exit.code();
    end.put("exited", true);
    end.put("status", status);
    if (exit.code() != 0) {
      end.put("exitCode", exit.code());
      end.put("error", status);
    }
    return end;
  }

  /** In the words of the language that E2B's daemon is written in, which clients compare. */
  private static String signal(int number) {
    return switch (number) {
      case 1 -> "hangup";
      case 2 -> "interrupt";
      case 3 -> "quit";
      case 6 -> "aborted";
      case 9 -> "killed";
      case 11 -> "segmentation fault";
      case 13 -> "broken pipe";
      case 15 -> "terminated";
      default -> Optional.of(number).flatMap(Signals::name).orElse("").toLowerCase(Locale.ROOT);
    };
  }
}
