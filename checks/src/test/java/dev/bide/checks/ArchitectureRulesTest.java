package dev.bide.checks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.bide.checks.bad.Impure;
import dev.bide.checks.bad.Pure;
import dev.bide.checks.bad.Root;
import dev.bide.checks.bad.Serializing;
import dev.bide.checks.bad.cycle.a.A;
import dev.bide.checks.bad.cycle.b.B;
import dev.bide.checks.bad.delay.Later;
import dev.bide.checks.bad.json.UsesSql;
import dev.bide.checks.bad.spi.PointsAtRoot;
import dev.bide.checks.bad.task.PointsAtDelay;
import dev.bide.checks.bad.unknown.Stray;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Shows that each rule finds what it forbids, in classes made to break it. */
class ArchitectureRulesTest {
  private static final String ROOT = Root.class.getPackageName();

  @Test
  void arrowsFindAnArrowThatPointsTheWrongWay() {
    assertEquals(1, broken(ArchitectureRules.arrows(ROOT), PointsAtDelay.class, Later.class).size());
  }

  @Test
  void arrowsFindAPackageThatPointsBackAtTheRoot() {
    assertEquals(1, broken(ArchitectureRules.arrows(ROOT), PointsAtRoot.class, Root.class).size());
  }

  @Test
  void arrowsFindAPackageThatHasNone() {
    assertEquals(1, broken(ArchitectureRules.arrows(ROOT), Stray.class).size());
  }

  @Test
  void arrowsLetTheAllowedPass() {
    assertEquals(List.of(), broken(ArchitectureRules.arrows(ROOT), Root.class, Later.class));
  }

  @Test
  void cyclesAreFound() {
    assertEquals(1, broken(ArchitectureRules.noCycles(ROOT), A.class, B.class).size());
  }

  @Test
  void everyRealThingIsFound() {
    List<String> found = broken(ArchitectureRules.onlyHostsAreReal(ROOT), Impure.class);
    for (Method method : Impure.class.getDeclaredMethods())
      assertTrue(method.isSynthetic() || found.stream().anyMatch(line -> line.contains("." + method.getName() + "(")),
          () -> "not found: " + method);
  }

  @Test
  void aSubclassOfThreadIsFound() {
    assertEquals(1, broken(ArchitectureRules.onlyHostsAreReal(ROOT), Impure.Subclass.class).size());
  }

  @Test
  void whatIsPassedInIsNotTakenForReal() {
    assertEquals(List.of(), broken(ArchitectureRules.onlyHostsAreReal(ROOT), Pure.class));
  }

  @Test
  void serializationIsFound() {
    List<String> found = broken(ArchitectureRules.noSerialization(ROOT), Serializing.class);
    for (String stream : List.of("ObjectInputStream", "ObjectOutputStream"))
      assertTrue(found.stream().anyMatch(line -> line.contains(stream)), stream);
  }

  @Test
  void sqlOutsideItsModulesIsFound() {
    assertEquals(2, broken(ArchitectureRules.sqlInItsModules(ROOT), UsesSql.class).size());
  }

  private static List<String> broken(ArchRule rule, Class<?>... classes) {
    JavaClasses judged = new ClassFileImporter().importClasses(Arrays.asList(classes));
    return rule.evaluate(judged).getFailureReport().getDetails();
  }
}
