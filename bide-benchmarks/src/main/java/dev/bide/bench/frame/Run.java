package dev.bide.bench.frame;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One run of a benchmark: how much it may take, where it may write, and what it has found. Not thread-safe. */
public final class Run {
  private final boolean full;
  private final Folder folder;
  private final PrintStream out;
  private final PrintStream progress;
  private final List<Goal> goals = new ArrayList<>();

  Run(boolean full, Folder folder, PrintStream out, PrintStream progress) {
    this.full = full;
    this.folder = folder;
    this.out = out;
    this.progress = progress;
  }

  /** Returns whether it may take the time it needs; else it takes minutes, with reduced sizes. */
  public boolean full() {
    return full;
  }

  /** Makes a folder for one part of the benchmark. It is removed at the end of the run, or sooner by its user. */
  public Folder folder(String name) throws IOException {
    return folder.inside(name);
  }

  /** Returns the folder of the whole run. */
  public Path root() {
    return folder.path();
  }

  /** Tells whoever waits what is being done; no part of the result. */
  public void doing(String what) {
    progress.println("… " + what);
  }

  /** Prints a line of what holds for all that follows. */
  public void say(String line) {
    out.println(line);
  }

  /** Prints a table that is complete. */
  public void print(Table table) {
    out.println();
    out.print(table);
    out.flush();
  }

  /** Notes how a goal was met; it is printed at the end. */
  public void goal(Goal goal) {
    goals.add(goal);
  }

  List<Goal> goals() {
    return goals;
  }
}
