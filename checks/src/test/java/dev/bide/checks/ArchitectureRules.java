package dev.bide.checks;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.SimpleConditionEvent.violated;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * What the code base holds to. A rule takes the root package whose classes it judges, so that the same rule can be
 * shown to fail on packages of the same names below another root.
 */
final class ArchitectureRules {

  /** What each package may use of ours beside itself. Names are relative to the root package, which is "". */
  static final Map<String, Set<String>> ARROWS = Map.ofEntries(
      Map.entry("timer", Set.of()),
      Map.entry("task", Set.of()),
      Map.entry("delay", Set.of("task")),
      Map.entry("spi", Set.of("task")),
      Map.entry("memory", Set.of("spi", "task")),
      Map.entry("", Set.of("delay", "spi", "task")),
      Map.entry("tck", Set.of("", "delay", "memory", "spi", "task")),
      Map.entry("jdbc", Set.of("", "delay", "spi", "task")),
      Map.entry("sqlite", Set.of("", "delay", "jdbc", "spi", "task")),
      Map.entry("json", Set.of("", "delay", "spi", "task")));

  /**
   * The classes that may touch real clocks, threads and randomness; everything else is given them. Core has one; of the
   * timers, one reads the clock and one starts a thread.
   */
  static final Set<String> HOSTS = Set.of("dev.bide.spi.Host", "dev.bide.timer.MonotonicTime", "dev.bide.timer.Timer");

  private static final Set<String> SQL = Set.of("jdbc", "sqlite");

  private ArchitectureRules() {}

  static List<ArchRule> all(String root) {
    return List.of(arrows(root), noCycles(root), onlyHostsAreReal(root), noSerialization(root), sqlInItsModules(root));
  }

  static ArchRule arrows(String root) {
    return classes().that(within(root)).should(new ArchCondition<>("use only what the arrows of their package allow") {
      @Override
      public void check(JavaClass user, ConditionEvents events) {
        Set<String> allowed = ARROWS.get(relative(root, user));
        if (allowed == null) {
          events.add(violated(user, user.getPackageName() + " has no arrows, but holds " + user.getName()));
          return;
        }
        user.getDirectDependenciesFromSelf().stream()
            .filter(arrow -> inside(root, arrow.getTargetClass()))
            .filter(arrow -> !arrow.getTargetClass().getPackageName().equals(user.getPackageName()))
            .filter(arrow -> !allowed.contains(relative(root, arrow.getTargetClass())))
            .forEach(arrow -> events.add(violated(arrow, arrow.getDescription())));
      }
    });
  }

  static ArchRule noCycles(String root) {
    return SlicesRuleDefinition.slices().assignedFrom(new SliceAssignment() {
      @Override
      public SliceIdentifier getIdentifierOf(JavaClass type) {
        return inside(root, type) ? SliceIdentifier.of(type.getPackageName()) : SliceIdentifier.ignore();
      }

      @Override
      public String getDescription() {
        return "packages";
      }
    }).should().beFreeOfCycles();
  }

  static ArchRule onlyHostsAreReal(String root) {
    return noClasses().that(within(root)).and(describe("are no host", type -> !host(type)))
        .should().accessTargetWhere(describe("it is a real clock, thread or source of randomness",
            access -> real(access)));
  }

  static ArchRule noSerialization(String root) {
    return noClasses().that(within(root))
        .should().dependOnClassesThat().areAssignableTo(ObjectInputStream.class)
        .orShould().dependOnClassesThat().areAssignableTo(ObjectOutputStream.class);
  }

  static ArchRule sqlInItsModules(String root) {
    return noClasses().that(within(root)).and(describe("are in no SQL module", c -> !SQL.contains(relative(root, c))))
        .should().dependOnClassesThat().resideInAnyPackage("java.sql..", "javax.sql..");
  }

  private static DescribedPredicate<JavaClass> within(String root) {
    return describe("are within " + root, type -> inside(root, type));
  }

  private static boolean inside(String root, JavaClass type) {
    return type.getPackageName().equals(root) || type.getPackageName().startsWith(root + ".");
  }

  private static String relative(String root, JavaClass type) {
    return type.getPackageName().equals(root) ? "" : type.getPackageName().substring(root.length() + 1);
  }

  private static boolean host(JavaClass type) {
    String name = type.getName();
    return HOSTS.stream().anyMatch(host -> name.equals(host) || name.startsWith(host + "$"));
  }

  /** A seeded generator, a clock that is passed in and an executor that is passed in are none of these. */
  private static boolean real(JavaAccess<?> access) {
    if (!(access.getTarget() instanceof CodeUnitAccessTarget target)) return false;
    String name = target.getName();
    List<String> parameters = target.getRawParameterTypes().stream().map(JavaClass::getName).toList();
    boolean constructor = name.equals("<init>");
    String owner = target.getOwner().getName();
    if (owner.startsWith("java.time.") && name.equals("now")) return !parameters.contains("java.time.Clock");
    return switch (owner) {
      case "java.lang.System" -> name.equals("nanoTime") || name.equals("currentTimeMillis");
      case "java.time.Clock" -> name.startsWith("system")
          || name.startsWith("tick") && parameters.equals(List.of("java.time.ZoneId"));
      case "java.util.Date" -> constructor && parameters.isEmpty();
      case "java.util.Calendar" -> name.equals("getInstance");
      case "java.lang.Thread" -> constructor || Set.of("sleep", "ofVirtual", "ofPlatform", "startVirtualThread")
          .contains(name);
      case "java.util.concurrent.TimeUnit" -> name.equals("sleep");
      case "java.util.Timer", "java.util.concurrent.ThreadPoolExecutor",
          "java.util.concurrent.ScheduledThreadPoolExecutor", "java.security.SecureRandom" ->
        constructor;
      case "java.util.concurrent.ForkJoinPool" -> constructor || name.equals("commonPool");
      case "java.util.concurrent.Executors" -> !name.equals("callable");
      case "java.util.concurrent.ThreadLocalRandom" -> true;
      case "java.util.concurrent.CompletableFuture", "java.util.concurrent.CompletionStage" -> Set
          .of("orTimeout", "completeOnTimeout", "delayedExecutor").contains(name)
          || name.endsWith("Async") && !parameters.contains(Executor.class.getName());
      case "java.util.Random", "java.util.SplittableRandom" -> constructor && parameters.isEmpty();
      case "java.util.random.RandomGenerator" -> name.equals("getDefault") || name.equals("of");
      case "java.lang.Math", "java.lang.StrictMath" -> name.equals("random");
      case "java.util.UUID" -> name.equals("randomUUID");
      default -> false;
    };
  }
}
