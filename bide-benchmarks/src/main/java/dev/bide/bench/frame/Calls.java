package dev.bide.bench.frame;

import dev.bide.spi.TaskStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the calls of a store. Thread-safe. */
public final class Calls {
  private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

  /** No call has been counted. */
  public Calls() {}

  /** Returns a store that passes its calls on to {@code store}, and has them counted by their name. */
  public TaskStore of(TaskStore store) {
    return (TaskStore) Proxy.newProxyInstance(Calls.class.getClassLoader(), store.getClass().getInterfaces(),
        (proxy, method, args) -> {
          counts.computeIfAbsent(method.getName(), any -> new LongAdder()).increment();
          try {
            return method.invoke(store, args);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
  }

  /** Returns how often each was made so far. */
  public Map<String, Long> counts() {
    Map<String, Long> sums = new TreeMap<>();
    counts.forEach((call, count) -> sums.put(call, count.sum()));
    return sums;
  }
}
