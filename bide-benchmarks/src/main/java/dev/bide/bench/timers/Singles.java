package dev.bide.bench.timers;

import dev.bide.bench.frame.Run;
import dev.bide.bench.frame.Table;
import java.util.ArrayList;
import java.util.List;

/** Our heap beside an array in no order: where the array still does. */
final class Singles {
  private static final List<String> OPERATIONS = List.of("Insert", "Take", "Peek");

  private Singles() {}

  static void measure(Run run, Sizes sizes) throws Exception {
    run.doing("an unsorted array beside a heap");
    Table table = new Table("an array in no order beside IndexedHeap, ns an operation, " + Single.TIMES + " in a row; "
        + sizes.singleShots() + " times, each operation in a JVM of its own", "pending", "array insert", "heap insert",
        "array take first", "heap take first", "array peek", "heap peek");
    for (int pending : sizes.small()) {
      List<String> row = new ArrayList<>(List.of("" + pending));
      for (String operation : OPERATIONS) {
        row.add(Table.number(Forks.single(sizes, pending, "array" + operation)));
        row.add(Table.number(Forks.single(sizes, pending, "heap" + operation)));
      }
      table.row(row.toArray(String[]::new));
    }
    run.print(table);
  }
}
