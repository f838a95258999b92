package dev.bide;

/** Makes texts that come from users' code fit to be stored. */
final class Texts {
  private static final int LONGEST = 1_000;

  private Texts() {}

  /** Returns {@code text} with control characters made spaces, cut to {@value #LONGEST} characters. */
  static String clean(String text) {
    int end = Math.min(text.length(), LONGEST);
    if (end < text.length() && Character.isHighSurrogate(text.charAt(end - 1))) {
      end--;
    }
    StringBuilder clean = new StringBuilder(end);
    for (int i = 0; i < end; i++) {
      char c = text.charAt(i);
      boolean paired = Character.isHighSurrogate(c) && i + 1 < end && Character.isLowSurrogate(text.charAt(i + 1));
      if (paired) {
        clean.append(c).append(text.charAt(++i));
      } else {
        clean.append(Character.isISOControl(c) || Character.isSurrogate(c) ? ' ' : c);
      }
    }
    return clean.toString();
  }

  /** Returns the kind and the message of a failure, and those of its cause. */
  static String of(Throwable failure) {
    try {
      Throwable cause = failure.getCause();
      return clean(one(failure) + (cause == null || cause == failure ? "" : "; caused by " + one(cause)));
    } catch (RuntimeException | StackOverflowError e) {
      // Its message is a stranger's code too.
      return failure.getClass().getName();
    }
  }

  private static String one(Throwable failure) {
    String message = failure.getMessage();
    return failure.getClass().getName() + (message == null ? "" : ": " + message);
  }
}
