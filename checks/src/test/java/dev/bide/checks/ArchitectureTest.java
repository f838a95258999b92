package dev.bide.checks;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ArchitectureTest {
  private static final String ROOT = "dev.bide";
  private static final JavaClasses OURS = new ClassFileImporter().importPackages(ROOT)
      .that(describe("are published",
          type -> !type.getPackageName().startsWith(ArchitectureTest.class.getPackageName())));

  @ParameterizedTest
  @MethodSource
  void ruleHolds(ArchRule rule) {
    rule.check(OURS);
  }

  static Stream<ArchRule> ruleHolds() {
    return ArchitectureRules.all(ROOT).stream();
  }

  @Test
  void everyPackageOfTheArrowsWasJudged() {
    var judged = OURS.stream().map(JavaClass::getPackage).map(JavaPackage::getName).collect(Collectors.toSet());
    var named = ArchitectureRules.ARROWS.keySet().stream().map(name -> name.isEmpty() ? ROOT : ROOT + "." + name);
    assertEquals(named.collect(Collectors.toCollection(TreeSet::new)), new TreeSet<>(judged));
  }

  @Test
  void everyHostExists() {
    ArchitectureRules.HOSTS.forEach(host -> assertTrue(OURS.contain(host), host));
  }
}
