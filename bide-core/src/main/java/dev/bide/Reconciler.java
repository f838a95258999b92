package dev.bide;

import dev.bide.task.Task;
import dev.bide.task.TaskId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Compares the live ids of a queue with those that the business has open.
 *
 * <p>The queue goes on meanwhile, so whatever seems to differ is looked up once more before it is told.
 */
final class Reconciler {
  private static final int BATCH = 1_000;

  private final Repeater repeater;
  private final String queue;

  Reconciler(Repeater repeater, String queue) {
    this.repeater = repeater;
    this.queue = queue;
  }

  Reconciliation reconcile(Collection<String> open) {
    Set<String> notLive = new LinkedHashSet<>();
    open.forEach(id -> notLive.add(TaskId.check(id)));
    Instant start = Instant.ofEpochMilli(repeater.now());
    List<String> notOpen = new ArrayList<>();
    forEachLive(id -> {
      if (!notLive.remove(id)) {
        notOpen.add(id);
      }
    });
    List<String> missing = new ArrayList<>();
    List<Task> finished = new ArrayList<>();
    forEachFound(notLive, (id, task) -> {
      if (task.isEmpty()) {
        missing.add(id);
      } else if (task.get().state().finished()) {
        finished.add(task.get());
      }
    });
    List<String> unexpected = new ArrayList<>();
    forEachFound(notOpen, (id, found) -> found
        .filter(task -> !task.state().finished() && !task.createdAt().isAfter(start))
        .ifPresent(task -> unexpected.add(id)));
    return new Reconciliation(start, missing, finished, unexpected);
  }

  private void forEachLive(Consumer<String> taker) {
    String last = "";
    while (true) {
      String after = last;
      List<String> ids = repeater.look(store -> store.ids(queue, after, BATCH));
      ids.forEach(taker);
      if (ids.size() < BATCH) {
        return;
      }
      last = ids.get(ids.size() - 1);
    }
  }

  private void forEachFound(Collection<String> ids, BiConsumer<String, Optional<Task>> taker) {
    List<String> all = List.copyOf(ids);
    for (int from = 0; from < all.size(); from += BATCH) {
      List<String> batch = all.subList(from, Math.min(all.size(), from + BATCH));
      List<Optional<Task>> found = repeater.look(store -> store.find(queue, batch));
      for (int i = 0; i < batch.size(); i++) {
        taker.accept(batch.get(i), found.get(i));
      }
    }
  }
}
