package dev.bide.bench.frame;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Results in columns, under a title that says what was done: sizes, rounds, seed, distribution. Not thread-safe. */
public final class Table {
  private final String title;
  private final List<List<String>> rows = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  /** A table with the names of its columns. */
  public Table(String title, String... columns) {
    this.title = title;
    rows.add(List.of(columns));
  }

  /** Adds a row, with as many cells as there are columns. */
  public Table row(String... cells) {
    if (cells.length != rows.get(0).size()) {
      throw new IllegalArgumentException("there are " + rows.get(0).size() + " columns, got " + List.of(cells));
    }
    rows.add(List.of(cells));
    return this;
  }

  /** Adds a line below the rows. */
  public Table note(String text) {
    notes.add(text);
    return this;
  }

  /** Returns a number as it is written in a cell: thousands apart, and three digits if it is small. */
  public static String number(double value) {
    if (Double.isNaN(value)) {
      return "-";
    }
    return String.format(Locale.ROOT, value >= 100 ? "%,.0f" : value >= 10 ? "%.1f" : value >= 1 ? "%.2f" : "%.3f",
        value);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(title).append('\n');
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder(" ");
      for (int column = 0; column < row.size(); column++) {
        line.append(' ').append(padded(row.get(column), width(column), column == 0)).append(' ');
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    notes.forEach(note -> text.append("  ").append(note).append('\n'));
    return text.toString();
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }

  private static String padded(String cell, int width, boolean left) {
    String space = " ".repeat(width - cell.length());
    return left ? cell + space : space + cell;
  }
}
