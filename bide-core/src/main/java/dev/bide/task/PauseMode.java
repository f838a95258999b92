package dev.bide.task;

/** What a paused task keeps until it is resumed. */
public enum PauseMode {
  /** Its due time: one that comes while it is paused is past when it is resumed. The default. */
  KEEP_DUE,
  /** What was left to wait: that goes on counting from the resume, and the due time moves along. */
  KEEP_REMAINING
}
