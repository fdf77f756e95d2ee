package dev.prpf.api;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The public types are few, and their signatures name no internal type. */
class ApiSurfaceTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.prpf.api");

    private static Stream<JavaClass> published() {
        return CLASSES.stream().filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC));
    }

    private static boolean visible(Set<JavaModifier> modifiers) {
        return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
    }

    @Test
    void thePublicTypesAreFew() {
        assertThat(published().map(JavaClass::getName)).hasSizeBetween(10, 60);
    }

    @Test
    void signaturesNameOnlyThisPackageAndTheJdk() {
        List<String> leaks = published()
                .flatMap(type -> type.getCodeUnits().stream())
                .filter(unit -> visible(unit.getModifiers()))
                .flatMap(unit -> named(unit)
                        .filter(name -> !name.startsWith("java.") && !name.startsWith("dev.prpf.api."))
                        .map(name -> unit.getFullName() + " names " + name))
                .toList();
        assertThat(leaks).isEmpty();
        assertThat(published()
                        .flatMap(type -> type.getFields().stream())
                        .filter(field -> visible(field.getModifiers()))
                        .map(field -> field.getRawType().getPackageName()))
                .allMatch(name -> name.startsWith("java.") || name.equals("dev.prpf.api"));
    }

    private static Stream<String> named(JavaCodeUnit unit) {
        Set<JavaClass> types = Stream.concat(unit.getParameterTypes().stream(), Stream.of(unit.getReturnType()))
                .flatMap(type -> type.getAllInvolvedRawTypes().stream())
                .collect(Collectors.toSet());
        return types.stream()
                .map(JavaClass::getBaseComponentType)
                .filter(type -> !type.isPrimitive())
                .map(JavaClass::getName);
    }

    @Test
    void theApiNeedsNoServerAndNoCommand() {
        noClasses()
                .should()
                .dependOnClassesThat(describe(
                        "serve or are commands",
                        (JavaClass type) -> type.getPackageName().contains(".command")
                                || type.getPackageName().contains(".serve")))
                .check(CLASSES);
        classes().should().resideInAPackage("dev.prpf.api").check(CLASSES);
    }
}
