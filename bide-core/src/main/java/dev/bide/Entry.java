package dev.bide;

import static java.util.Objects.requireNonNull;

import dev.bide.delay.When;
import dev.bide.task.OnExisting;
import dev.bide.task.Tag;
import dev.bide.task.TaskId;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task to be scheduled, with all that can be said of it. Immutable.
 *
 * @param <P> the type of the payload
 */
public final class Entry<P> {
  private final @Nullable String id;
  private final P payload;
  private final When when;
  private final OnExisting onExisting;
  private final @Nullable ZoneId zone;
  private final List<Tag> tags;

  private Entry(@Nullable String id, P payload, When when, OnExisting onExisting, @Nullable ZoneId zone,
      List<Tag> tags) {
    this.id = id;
    this.payload = requireNonNull(payload, "payload");
    this.when = requireNonNull(when, "when");
    this.onExisting = requireNonNull(onExisting, "onExisting");
    this.zone = zone;
    this.tags = tags;
  }

  /**
   * A task under an id of the caller's; a task that is known under it is kept.
   *
   * @param id 1 to 200 code points, no control characters
   * @throws IllegalArgumentException if the id is none
   */
  public static <P> Entry<P> of(String id, P payload, When when) {
    return new Entry<>(TaskId.check(requireNonNull(id, "id")), payload, when, OnExisting.KEEP, null, List.of());
  }

  /** A task under a generated id. */
  public static <P> Entry<P> of(P payload, When when) {
    return new Entry<>(null, payload, when, OnExisting.KEEP, null, List.of());
  }

  /** The same with another answer to an id that is known. */
  public Entry<P> onExisting(OnExisting onExisting) {
    return new Entry<>(id, payload, when, onExisting, zone, tags);
  }

  /** The same with its times shown in {@code zone}, which never changes the due time. */
  public Entry<P> shownIn(ZoneId zone) {
    return new Entry<>(id, payload, when, onExisting, requireNonNull(zone, "zone"), tags);
  }

  /**
   * The same with a tag more, by which tasks are found together; the same tag twice is one.
   *
   * @param key a letter or digit, then up to 63 letters, digits or {@code ._-}
   * @param value 1 to 100 code points, no control characters
   * @throws IllegalArgumentException if it is no tag, or there are more than {@value Tag#MOST}
   */
  public Entry<P> tag(String key, String value) {
    List<Tag> more = new ArrayList<>(tags);
    more.add(new Tag(key, value));
    return new Entry<>(id, payload, when, onExisting, zone, Tag.inOrder(more));
  }

  @Nullable
  String id() {
    return id;
  }

  P payload() {
    return payload;
  }

  When when() {
    return when;
  }

  OnExisting onExisting() {
    return onExisting;
  }

  List<Tag> tags() {
    return tags;
  }

  @Nullable
  ZoneId zone() {
    return zone;
  }
}
