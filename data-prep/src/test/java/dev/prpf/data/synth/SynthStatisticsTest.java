package dev.prpf.data.synth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.Language;
import dev.prpf.data.Recommendation;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.data.synth.SynthSample.Temper;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Measures the required properties of generated data. */
class SynthStatisticsTest {
    private static final ScenarioCatalog CATALOG = ScenarioCatalogReader.shipped();
    private static final FunctionPool POOL = FunctionPoolFile.shipped();
    private static final List<SynthSample> TRAIN = make("train", Language.ZH);

    private static List<SynthSample> make(String split, Language language) {
        SynthSettings settings = TestSettings.of(11, 4000, split, 0, language);
        return new SampleSynth(settings, CATALOG).samples().toList();
    }

    private static double share(List<SynthSample> samples, Predicate<SynthSample> test) {
        return samples.stream().filter(test).count() / (double) samples.size();
    }

    @Test
    void aThirdIsSilentAndAboutHalfOfThatTempts() {
        assertThat(share(TRAIN, made -> !made.sample().wantsIntervention())).isCloseTo(1 / 3.0, within(0.03));
        List<SynthSample> silent =
                TRAIN.stream().filter(made -> !made.temper().acts()).toList();
        assertThat(share(silent, made -> made.temper() != Temper.UNEVENTFUL)).isBetween(0.45, 0.57);
        for (Temper temper : List.of(Temper.ALREADY_DONE, Temper.WRONG_TIME, Temper.AGAINST_WISH)) {
            assertThat(share(silent, made -> made.temper() == temper))
                    .as("%s", temper)
                    .isGreaterThan(0.06);
        }
        assertThat(share(
                        TRAIN,
                        made -> made.temper().acts()
                                && made.sample().validSequences().contains(List.of())))
                .as("silence as one of several answers")
                .isBetween(0.01, 0.05);
    }

    @Test
    void distractionIsFiveToTwentyTimesTheRelevantText() {
        for (Language language : Language.values()) {
            for (SynthSample made : make("train", language)) {
                if (made.relevantCharacters() > 0) {
                    double factor = made.distractorCharacters() / (double) made.relevantCharacters();
                    assertThat(factor).as(made.sample().toString()).isBetween(5.0, 20.0);
                }
            }
        }
    }

    @Test
    void theCountsAreThoseOfTheSentences() {
        for (SynthSample made : TRAIN) {
            Sample sample = made.sample();
            int written = made.relevantCharacters() + made.distractorCharacters();
            int read = text(sample).replaceAll("[。\\n]", "").length();
            // "通知栏：" before a need in the phone's notifications counts as neither
            assertThat(read - written).as(sample.toString()).isIn(0, 4);
        }
    }

    @Test
    void everyAnswerFollowsFromTheContext() {
        for (Language language : Language.values()) {
            for (SynthSample made : make("test", language)) {
                String context = text(made.sample());
                for (FunctionCall call : calls(made.sample())) {
                    call.parameters().forEach((name, value) -> {
                        for (JsonNode leaf : leaves(value)) {
                            assertThat(derivable(call, name, leaf, context))
                                    .as("%s of %s = %s in %s", name, call.name(), leaf, context)
                                    .isTrue();
                        }
                    });
                }
            }
        }
    }

    private static boolean derivable(FunctionCall call, String parameter, JsonNode value, String context) {
        ParameterSpec spec = Objects.requireNonNull(POOL.get(call.name())).parameters().stream()
                .filter(each -> each.name().equals(parameter))
                .findFirst()
                .orElseThrow();
        boolean enumerated = spec.enumeration() != null && spec.enumeration().contains(value);
        return enumerated || value.isBoolean() || context.contains(value.asText());
    }

    private static List<JsonNode> leaves(JsonNode value) {
        if (!value.isContainerNode()) {
            return List.of(value);
        }
        List<JsonNode> leaves = new ArrayList<>();
        value.forEach(child -> leaves.addAll(leaves(child)));
        return leaves;
    }

    @Test
    void callsFillEveryRequiredParameter() {
        for (SynthSample made : make("test", Language.ZH)) {
            for (FunctionCall call : calls(made.sample())) {
                Objects.requireNonNull(POOL.get(call.name())).parameters().stream()
                        .filter(ParameterSpec::required)
                        .forEach(parameter -> assertThat(call.parameters()).containsKey(parameter.name()));
            }
        }
    }

    @Test
    void mostAnswersAreOneCall() {
        List<SynthSample> acting =
                TRAIN.stream().filter(made -> made.temper().acts()).toList();
        for (int calls = 1; calls <= 3; calls++) {
            int wanted = calls;
            double expected = new double[] {0.65, 0.30, 0.045}[calls - 1];
            assertThat(share(acting, made -> first(made).calls().size() == wanted))
                    .isCloseTo(expected, within(0.05));
        }
        assertThat(acting)
                .allSatisfy(made -> assertThat(made.sample().validSequences()).hasSizeBetween(1, 3));
        assertThat(share(acting, made -> made.sample().validSequences().size() > 1))
                .isGreaterThan(0.2);
    }

    private static Recommendation first(SynthSample made) {
        return Objects.requireNonNull(made.sample().answers()).get(0);
    }

    @Test
    void trainHasTwelveScenariosAndTestFourteen() {
        assertThat(scenarios(TRAIN)).hasSize(12).doesNotContainAnyElementsOf(SynthLibrary.OUT_OF_DISTRIBUTION);
        List<SynthSample> test = make("test", Language.ZH);
        assertThat(scenarios(test)).hasSize(14);
        assertThat(share(test, made -> SynthLibrary.OUT_OF_DISTRIBUTION.contains(CATALOG.scenarioOf(made.sample()))))
                .isCloseTo(0.02, within(0.008));
        Set<String> functions = new HashSet<>();
        TRAIN.forEach(made -> calls(made.sample()).forEach(call -> functions.add(call.name())));
        assertThat(functions).hasSize(POOL.size() - 8);
    }

    private static Set<String> scenarios(List<SynthSample> samples) {
        Set<String> scenarios = new HashSet<>();
        samples.forEach(made -> scenarios.add(CATALOG.scenarioOf(made.sample())));
        return scenarios;
    }

    @Test
    void harderSamplesHaveMoreCallsMoreDistractionAndMoreTemptation() {
        double[] distraction = new double[4];
        for (int level = 1; level <= 3; level++) {
            int wanted = level;
            List<SynthSample> same = TRAIN.stream()
                    .filter(made -> made.sample().difficulty() == wanted)
                    .toList();
            distraction[level] = same.stream()
                    .mapToInt(SynthSample::distractorCharacters)
                    .average()
                    .orElseThrow();
            assertThat(distraction[level]).isGreaterThan(distraction[level - 1]);
        }
        assertThat(TRAIN)
                .filteredOn(made -> made.temper().acts() && made.sample().difficulty() == 1)
                .allSatisfy(made -> assertThat(first(made).calls()).hasSize(1));
    }

    @Test
    void idsAreUniqueAcrossSplits() {
        Set<String> ids = new HashSet<>();
        TRAIN.forEach(made -> assertThat(ids.add(made.sample().id())).isTrue());
        make("test", Language.ZH)
                .forEach(made -> assertThat(ids.add(made.sample().id())).isTrue());
    }

    @Test
    void aSampleDependsOnItsIndexOnly() {
        SampleSynth again = new SampleSynth(TestSettings.of(11, 4000, "train", 0, Language.ZH), CATALOG);
        assertThat(again.sample(1234)).isEqualTo(TRAIN.get(1234));
        assertThat(again.sample(7)).isEqualTo(TRAIN.get(7));
        SampleSynth other = new SampleSynth(TestSettings.of(12, 4000, "train", 0, Language.ZH), CATALOG);
        assertThat(text(other.sample(7).sample()))
                .isNotEqualTo(text(TRAIN.get(7).sample()));
    }

    static String text(Sample sample) {
        String trace = String.join("\n", sample.trajectory().texts());
        return String.join(
                "\n",
                sample.context().profile(),
                sample.context().phone(),
                sample.context().world(),
                trace);
    }

    private static List<FunctionCall> calls(Sample sample) {
        return sample.validSequences().stream().flatMap(List::stream).toList();
    }
}
