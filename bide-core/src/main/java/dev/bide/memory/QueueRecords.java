package dev.bide.memory;

import static dev.bide.memory.QueueIndexes.NONE;

import dev.bide.spi.QueuePause;
import dev.bide.spi.QueueSettings;
import dev.bide.spi.Rules;
import java.util.function.IntSupplier;

/** One queue: what is configured, and where its tasks stand. Not thread-safe. */
final class QueueRecords {
  final int number;
  final QueueIndexes indexes;
  private final Slots slots;
  private QueueSettings settings;
  QueuePause pause = QueuePause.NONE;

  QueueRecords(int number, QueueSettings settings, Slots slots) {
    this.number = number;
    this.settings = settings;
    this.slots = slots;
    indexes = new QueueIndexes(slots, settings.shards());
  }

  QueueSettings settings() {
    return settings;
  }

  /** See {@link dev.bide.spi.QueueStore#update}. */
  QueueSettings update(QueueSettings wanted) {
    if (wanted.shards() != settings.shards()) {
      throw new IllegalArgumentException("queue=" + settings.name() + " has " + settings.shards()
          + " shards, fixed when it was made; got " + wanted.shards());
    }
    settings = wanted;
    return settings;
  }

  /** Drops at most {@code limit} finished tasks whose retention is over; returns how many. */
  int prune(long now, int limit) {
    int dropped = prune(indexes::oldestDone, now - settings.retentionMillis(), now, limit);
    return dropped + prune(indexes::oldestFailed, now - settings.deadRetentionMillis(), now, limit - dropped);
  }

  private int prune(IntSupplier oldest, long until, long now, int limit) {
    long last = Math.min(until, now - Rules.KEPT_MILLIS);
    int dropped = 0;
    while (dropped < limit) {
      int slot = oldest.getAsInt();
      if (slot == NONE || slots.moment(slot) > last) {
        break;
      }
      indexes.leave(slot);
      slots.free(slot);
      dropped++;
    }
    return dropped;
  }
}
