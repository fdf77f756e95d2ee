package dev.prpf.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.prpf.base.error.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks module dependencies, {@code data-prep <- mpp-train <- par-serve <- eval}, and that tensors stay inside their module. Jars are not
 * excluded, because a later Maven phase puts the other modules on the class path as jars.
 */
@Tag("slow")
class ArchitectureTest {
    private static final String BASE = "dev.prpf.base..";
    private static final String DATA = "dev.prpf.data..";
    private static final String MPP = "dev.prpf.mpp..";
    private static final String PAR = "dev.prpf.par..";
    private static final String EVAL = "dev.prpf.eval..";
    private static final String CLI = "dev.prpf.cli..";

    private static final JavaClasses HOUSE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.prpf");

    /** Assigns each class to the slice of a name. */
    private record Slices(String getDescription, Function<JavaClass, SliceIdentifier> of) implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return of.apply(type);
        }
    }

    private static void holds(ArchRule rule) {
        rule.check(HOUSE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"dev.prpf.data", "dev.prpf.mpp", "dev.prpf.par", "dev.prpf.eval", "dev.prpf.cli"})
    void everyModuleIsSeen(String module) {
        assertThat(HOUSE.stream().filter(type -> type.getPackageName().startsWith(module)))
                .as("classes of %s: were none found, the other rules would hold of nothing", module)
                .hasSizeGreaterThan(2);
    }

    @Test
    void theBaseKnowsNothingOfTheDomain() {
        holds(noClasses()
                .that()
                .resideInAPackage(BASE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(DATA, MPP, PAR, EVAL, CLI));
    }

    @Test
    void nobodyKnowsTheCommandLine() {
        holds(noClasses()
                .that()
                .resideOutsideOfPackage(CLI)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(CLI));
    }

    @Test
    void exitCodesAreTheCommandLinesAlone() {
        holds(noClasses()
                .that()
                .resideOutsideOfPackages(BASE, "..command..", CLI)
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ExitCode.class));
    }

    @Test
    void dataPrepKnowsNoOtherModule() {
        holds(noClasses()
                .that()
                .resideInAPackage(DATA)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(MPP, PAR, EVAL, CLI));
    }

    @Test
    void mppTrainKnowsDataPrepOnly() {
        holds(noClasses()
                .that()
                .resideInAPackage(MPP)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(PAR, EVAL, CLI));
    }

    @Test
    void parServeDoesNotKnowEval() {
        holds(noClasses()
                .that()
                .resideInAPackage(PAR)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(EVAL));
    }

    @Test
    void nd4jStaysInThePerceiver() {
        holds(noClasses()
                .that()
                .resideOutsideOfPackage(MPP)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.nd4j..", "org.deeplearning4j.."));
    }

    @Test
    void djlTensorsStayInTheReasoner() {
        holds(noClasses()
                .that()
                .resideOutsideOfPackage(PAR)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("ai.djl.ndarray..", "ai.djl.nn..", "ai.djl.training..", "ai.djl.pytorch.."));
    }

    @Test
    void onnxRuntimeStaysInTheEncoders() {
        holds(noClasses()
                .that()
                .resideOutsideOfPackage(DATA)
                .should()
                .dependOnClassesThat()
                .resideInAPackage("ai.onnxruntime.."));
    }

    @Test
    void mlflowStaysInTheTracking() {
        holds(noClasses()
                .that()
                .resideOutsideOfPackage("dev.prpf.cli.tracking..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.mlflow..", "org.mlflow_project..", "com.databricks.."));
    }

    /** Every package is a slice of its own, root packages too. */
    @Test
    void packagesFormNoCycle() {
        SliceAssignment packages = new Slices("packages", type -> SliceIdentifier.of(type.getPackageName()));
        holds(slices().assignedFrom(packages).should().beFreeOfCycles());
    }

    @Test
    void simpleNamesOfMainClassesAreUnique() throws IOException {
        Map<String, List<Path>> files = new TreeMap<>();
        for (String module : List.of("data-prep", "mpp-train", "par-serve", "eval", "spark")) {
            try (Stream<Path> sources = Files.walk(Path.of("..", module, "src", "main", "java"))) {
                sources.filter(file -> file.toString().endsWith(".java") && !file.endsWith("package-info.java"))
                        .forEach(
                                file -> files.computeIfAbsent(file.getFileName().toString(), name -> new ArrayList<>())
                                        .add(file));
            }
        }
        assertThat(files).hasSizeGreaterThan(800);
        files.values().removeIf(places -> places.size() == 1);
        assertThat(files).as("one name, one class: rename all but one").isEmpty();
    }

    @Test
    void filesOfConstrainedDecodingFormNoCycle() {
        SliceAssignment files = new Slices(
                "files of constrained decoding",
                type -> type.getPackageName().equals("dev.prpf.par.constraint")
                        ? SliceIdentifier.of(type.getName().replaceFirst("\\$.*", ""))
                        : SliceIdentifier.ignore());
        holds(slices().assignedFrom(files).should().beFreeOfCycles());
    }

    @Test
    void resultsGoToStandardOutputThroughResultStreamOnly() {
        holds(noClasses()
                .that()
                .doNotHaveFullyQualifiedName("dev.prpf.base.command.ResultStream")
                .and(DescribedPredicate.describe("do not silence it", ArchitectureTest::leavesStandardOutputWhereItIs))
                .should()
                .accessField(System.class, "out"));
    }

    /** A class may hold standard output aside while a library prints, which takes reading the field and setting it. */
    private static boolean leavesStandardOutputWhereItIs(JavaClass type) {
        return type.getMethodCallsFromSelf().stream()
                .noneMatch(call -> call.getTarget().getFullName().startsWith("java.lang.System.setOut("));
    }

    @Test
    void theNetworkIsUsedWhereSomebodyAskedForIt() {
        holds(noClasses()
                .that()
                .resideOutsideOfPackages(
                        "dev.prpf.base.http..",
                        "dev.prpf.base.hub..",
                        "dev.prpf.par.openai..",
                        "dev.prpf.cli.tracking..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.net.http..")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.net.Socket")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.net.URLConnection"));
    }

    @Test
    void onlyTheMainClassEndsTheProcess() {
        holds(noClasses()
                .that()
                .resideOutsideOfPackage("dev.prpf.cli")
                .should()
                .callMethod(System.class, "exit", int.class));
    }

    /** Methods of DL4J that change parameters or are a part of a training step. */
    private static final Set<String> STEPS =
            Set.of("applyUpdater", "optimize", "setParams", "setParam", "setParameters", "step", "update");

    private static final DescribedPredicate<JavaMethodCall> OF_A_STEP = DescribedPredicate.describe(
            "of DL4J that update parameters",
            call -> STEPS.contains(call.getTarget().getName())
                    && call.getTargetOwner().getPackageName().matches("org\\.(deeplearning4j|nd4j)\\..*"));

    private static final DescribedPredicate<JavaMethodCall> IN_PLACE = DescribedPredicate.describe(
            "of INDArray that change it in place",
            call -> call.getTargetOwner().getSimpleName().equals("INDArray")
                    && call.getTarget().getName().matches("assign|put.*|[a-z]+i(RowVector|ColumnVector)?"));

    @Test
    void parametersAreUpdatedInsideFitAlone() {
        holds(noClasses().that().resideInAPackage(MPP).should().callMethodWhere(OF_A_STEP));
        holds(noClasses()
                .that()
                .resideInAPackage(MPP)
                .and()
                .resideOutsideOfPackage("dev.prpf.mpp.network.graph")
                .should()
                .callMethodWhere(IN_PLACE));
        holds(noClasses()
                .that()
                .doNotHaveSimpleName("GraphAdamW")
                .and()
                .doNotHaveSimpleName("AdamW")
                .should()
                .dependOnClassesThat()
                .haveSimpleName("AdamW"));
        holds(noClasses()
                .that()
                .doNotHaveSimpleName("MppTraining")
                .and()
                .doNotHaveSimpleName("PerceiverBench")
                .should()
                .callMethodWhere(DescribedPredicate.describe(
                        "ComputationGraph.fit",
                        call -> call.getTarget().getName().equals("fit")
                                && call.getTargetOwner().getSimpleName().equals("ComputationGraph"))));
    }
}
