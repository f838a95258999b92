package dev.bide.bench.embedded;

import dev.bide.bench.frame.Crew;
import dev.bide.bench.frame.Folder;
import dev.bide.bench.frame.Goal;
import dev.bide.bench.frame.Rounds;
import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import dev.bide.bench.frame.Work;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Single schedules and cancels by eight threads, beside a beanstalkd with eight connections. Rounds last equally long,
 * so whoever is slower does less; what a round has scheduled, a later round cancels.
 */
final class Beanstalk {
  private static final int THREADS = 8;
  private static final double WANTED = 5;

  private Beanstalk() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    run.doing("beside beanstalkd");
    String version = BeanstalkServer.version();
    Table table = Rounds.table(THREADS + " threads, beside " + (version.isEmpty() ? "beanstalkd" : version)
        + " -f 0 with " + THREADS + " connections; " + sizes.rounds() + " rounds of " + sizes.single().toMillis()
        + " ms");
    if (version.isEmpty()) {
      table.note("not measured: beanstalkd is not installed; on Debian: apt-get install beanstalkd");
      run.goal(Goal.atLeast("beanstalkd-schedule", Double.NaN, WANTED));
      run.goal(Goal.atLeast("beanstalkd-scheduleAsync", Double.NaN, WANTED));
      run.goal(Goal.atLeast("beanstalkd-cancel", Double.NaN, WANTED));
      run.goal(Goal.atLeast("beanstalkd-cancelAsync", Double.NaN, WANTED));
    } else {
      try (Folder folder = run.folder("beanstalkd");
          Ours ours = Ours.at(folder.file("ours.db"));
          BeanstalkServer server = BeanstalkServer.start(folder.path());
          Peer peer = new Peer(server)) {
        measure(run, sizes, table, ours, peer);
      }
    }
    run.print(table);
  }

  private static void measure(Run run, Sizes sizes, Table table, Ours ours, Peer peer) throws Exception {
    Supply ourSupply = Supply.overAMonth();
    Deque<Queue<String>> ourIds = new ArrayDeque<>();
    Deque<Queue<String>> ourAsyncIds = new ArrayDeque<>();
    Rounds schedules = Rounds.play(sizes.rounds(), () -> {
      Queue<String> ids = added(ourIds);
      return Work.of(ours.meter(), () -> Crew.repeat(THREADS, sizes.single(), thread -> {
        Given task = ourSupply.next();
        ours.schedule(task);
        ids.add(task.id());
      }));
    }, () -> async(ours, ourSupply, added(ourAsyncIds), sizes), () -> peer.puts(sizes));
    schedules.row(table, "schedule", 0, 2);
    schedules.row(table, "scheduleAsync", 1, 2);
    run.goal(Goal.atLeast("beanstalkd-schedule", schedules.ratio(0, 2).median(), WANTED));
    run.goal(Goal.atLeast("beanstalkd-scheduleAsync", schedules.ratio(1, 2).median(), WANTED));

    Rounds cancels = Rounds.play(sizes.rounds(), () -> {
      Queue<String> ids = ourIds.remove();
      return Work.of(ours.meter(), () -> each(ids, (thread, id) -> ours.queue().cancel(id)));
    }, () -> cancelAsync(ours, ourAsyncIds.remove()), peer::deletes);
    cancels.row(table, "cancel", 0, 2);
    cancels.row(table, "cancelAsync", 1, 2);
    run.goal(Goal.atLeast("beanstalkd-cancel", cancels.ratio(0, 2).median(), WANTED));
    run.goal(Goal.atLeast("beanstalkd-cancelAsync", cancels.ratio(1, 2).median(), WANTED));
  }

  /** The round ends when the last task is durable. */
  private static Work async(Ours ours, Supply supply, Queue<String> ids, Sizes sizes) throws Exception {
    Queue<CompletableFuture<?>> begun = new ConcurrentLinkedQueue<>();
    return Work.of(ours.meter(), () -> {
      long tasks = Crew.repeat(THREADS, sizes.single(), thread -> {
        Given task = supply.next();
        begun.add(ours.begin(task));
        ids.add(task.id());
      });
      begun.forEach(CompletableFuture::join);
      return tasks;
    });
  }

  /** The round ends when the last cancel is durable. */
  private static Work cancelAsync(Ours ours, Queue<String> ids) throws Exception {
    Queue<CompletableFuture<?>> begun = new ConcurrentLinkedQueue<>();
    return Work.of(ours.meter(), () -> {
      long tasks = each(ids, (thread, id) -> begun.add(ours.queue().cancelAsync(id, "bench").toCompletableFuture()));
      begun.forEach(CompletableFuture::join);
      return tasks;
    });
  }

  private static <T> Queue<T> added(Deque<Queue<T>> rounds) {
    Queue<T> round = new ConcurrentLinkedQueue<>();
    rounds.add(round);
    return round;
  }

  private interface Use<T> {
    void of(int thread, T item) throws Exception;
  }

  /** Lets all threads use up {@code items} and returns how many there were. */
  private static <T> long each(Queue<T> items, Use<T> use) throws Exception {
    long count = items.size();
    Crew.each(THREADS, thread -> {
      for (T item = items.poll(); item != null; item = items.poll()) {
        use.of(thread, item);
      }
    });
    return count;
  }

  /** The connections to the other, and what it has been given. */
  private static final class Peer implements AutoCloseable {
    private final BeanstalkServer server;
    private final Supply supply = Supply.overAMonth();
    private final List<BeanstalkClient> clients = new ArrayList<>();
    private final Deque<Queue<Long>> ids = new ArrayDeque<>();

    Peer(BeanstalkServer server) throws IOException {
      this.server = server;
      for (int i = 0; i < THREADS; i++) {
        clients.add(server.connect());
      }
    }

    Work puts(Sizes sizes) throws Exception {
      Queue<Long> round = added(ids);
      return Work.of(server.meter(), () -> Crew.repeat(THREADS, sizes.single(), thread -> {
        Given task = supply.next();
        long delaySeconds = (task.dueAt() - System.currentTimeMillis()) / 1_000;
        round.add(clients.get(thread).put(delaySeconds, task.payload()));
      }));
    }

    Work deletes() throws Exception {
      Queue<Long> round = ids.remove();
      return Work.of(server.meter(), () -> each(round, (thread, id) -> clients.get(thread).delete(id)));
    }

    @Override
    public void close() throws IOException {
      for (BeanstalkClient client : clients) {
        client.close();
      }
    }
  }
}
