package dev.prpf.par.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Sample;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perceiver.PerceptionCost;
import dev.prpf.mpp.Perception;
import dev.prpf.par.cascade.Cascade.ContextDimension;
import dev.prpf.par.generate.Generation.FinishReason;
import dev.prpf.par.generate.Generation.GenerationCost;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.response.ResponseParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CascadeTest {
    private static final Map<String, Double> SCENARIOS = Map.of("Travel", 0.1, "Food", 0.9, "Work", 0.5);

    private final EchoReasoner reasoner = new EchoReasoner();

    /** p_trigger is the number in the sample's id, in hundredths. */
    private static final class IdPerceiver implements Perceiver {
        private final List<Sample> seen = new ArrayList<>();

        @Override
        public String id() {
            return "fake";
        }

        @Override
        public List<Perception> perceive(List<Sample> samples) {
            seen.addAll(samples);
            return samples.stream()
                    .map(sample -> new Perception(Integer.parseInt(sample.id()) / 100.0, SCENARIOS))
                    .toList();
        }

        @Override
        public void close() {}
    }

    /** Calls every function it may choose from; says nonsense where the id ends in 9. */
    private static final class EchoReasoner implements Reasoner {
        private final List<Request> seen = new ArrayList<>();

        @Override
        public String id() {
            return "echo";
        }

        @Override
        public List<Reasoning> reason(List<Request> requests, Runnable answered) {
            seen.addAll(requests);
            requests.forEach(request -> answered.run());
            return requests.stream().map(EchoReasoner::answer).toList();
        }

        private static Reasoning answer(Request request) {
            StringBuilder text = new StringBuilder("<recommendations>[{\"instruction\":\"\",\"function\":[");
            String separator = "";
            for (FunctionSpec function : request.candidates().functions()) {
                text.append(separator)
                        .append("{\"name\":\"")
                        .append(function.name())
                        .append("\",\"parameters\":{}}");
                separator = ",";
            }
            text.append(request.sample().id().endsWith("9") ? "" : "]}]</recommendations>");
            return new Reasoning(text.toString(), ResponseParser.parse(text.toString()), FinishReason.END_TOKEN);
        }

        @Override
        public void close() {}
    }

    private static List<Sample> samples(String... ids) {
        List<Sample> samples = new ArrayList<>();
        for (String id : ids) {
            samples.add(new Sample(id, 1, null, null, Prompts.CONTEXT, Prompts.TEXT.trajectory(), null));
        }
        return samples;
    }

    private Cascade cascade(@Nullable Perceiver perceiver, boolean gate, boolean compress, int shortlist) {
        return new Cascade(
                perceiver,
                reasoner,
                Prompts.POOL,
                Prompts.CATALOG,
                new Cascade.Settings(gate, compress, shortlist, 0.5));
    }

    private static List<String> names(Prediction prediction) {
        List<dev.prpf.data.FunctionCall> scored = prediction.scored();
        return scored == null
                ? List.of("malformed")
                : scored.stream().map(dev.prpf.data.FunctionCall::name).toList();
    }

    @Test
    void theGateKeepsWhatIsUnderTheThresholdFromTheReasoner() {
        AtomicInteger counted = new AtomicInteger();
        List<Prediction> predictions = cascade(new IdPerceiver(), true, true, 1)
                .predict(samples("80", "10", "50", "49"), counted::incrementAndGet);
        assertThat(counted).as("progress: silent and reasoned samples alike").hasValue(4);
        assertThat(predictions).extracting(Prediction::id).containsExactly("80", "10", "50", "49");
        assertThat(predictions)
                .extracting(Prediction::route)
                .containsExactly(
                        Prediction.Route.REASONED,
                        Prediction.Route.SILENT,
                        Prediction.Route.REASONED,
                        Prediction.Route.SILENT);
        assertThat(reasoner.seen).hasSize(2);
        assertThat(names(predictions.get(0))).containsExactly("order_food");
        assertThat(names(predictions.get(1))).isEmpty();
        assertThat(predictions.get(1).response()).isNull();
        assertThat(predictions.get(1).pTrigger()).isEqualTo(0.1);
        assertThat(predictions.get(1).scenarios()).containsEntry("Food", 0.9);
    }

    @Test
    void withoutTheGateEverythingIsReasonedAbout() {
        List<Prediction> predictions =
                cascade(new IdPerceiver(), false, true, 2).predict(samples("10"), () -> {});
        assertThat(predictions.get(0).route()).isEqualTo(Prediction.Route.REASONED);
        assertThat(names(predictions.get(0))).containsExactly("order_food", "create_note");
        assertThat(reasoner.seen.get(0).candidates().scenarios()).containsExactly("Food", "Work");
    }

    @Test
    void withoutCompressionThePoolIsWhole() {
        assertThat(names(cascade(new IdPerceiver(), true, false, 1)
                        .predict(samples("90"), () -> {})
                        .get(0)))
                .hasSize(3);
    }

    @Test
    void theSingleStageBaselineNeedsNoPerceiver() {
        Prediction prediction =
                cascade(null, false, false, 1).predict(samples("0"), () -> {}).get(0);
        assertThat(prediction.pTrigger()).isNull();
        assertThat(prediction.scenarios()).isEmpty();
        assertThat(names(prediction)).hasSize(3);
        assertThatIllegalArgumentException().isThrownBy(() -> cascade(null, true, false, 1));
    }

    private Sample seenWithout(IdPerceiver perceiver, ContextDimension... dimensions) {
        Cascade.Settings settings = new Cascade.Settings(true, true, 1, 0, List.of(dimensions));
        new Cascade(perceiver, reasoner, Prompts.POOL, Prompts.CATALOG, settings).predict(samples("80"), () -> {});
        return reasoner.seen.get(0).sample();
    }

    @Test
    void whatIsTakenAwayReachesNeitherPerceiverNorReasoner() {
        IdPerceiver perceiver = new IdPerceiver();
        Sample seen = seenWithout(perceiver, ContextDimension.WORLD, ContextDimension.PROFILE, ContextDimension.WORLD);
        assertThat(seen.context())
                .isEqualTo(new DeviceContext("", Prompts.CONTEXT.phone(), ""))
                .isEqualTo(perceiver.seen.get(0).context());
        assertThat(seen.trajectory())
                .isEqualTo(Prompts.TEXT.trajectory())
                .isEqualTo(perceiver.seen.get(0).trajectory());
    }

    @Test
    void withoutTheTraceTheReasonerSeesNoStepAndThePerceiverABlankOne() {
        IdPerceiver perceiver = new IdPerceiver();
        Sample seen = seenWithout(perceiver, ContextDimension.TRACE, ContextDimension.PHONE);
        assertThat(seen.trajectory().steps()).isEmpty();
        assertThat(perceiver.seen.get(0).trajectory().texts()).containsExactly("");
        assertThat(seen.context().phone()).isEmpty();
        assertThat(seen.context().profile()).isEqualTo(Prompts.CONTEXT.profile());
    }

    /** Knows what it costs: a thousand operations of each part, a second of each. */
    private static final class CostedPerceiver implements Perceiver {
        private final IdPerceiver plain = new IdPerceiver();

        @Override
        public String id() {
            return "costed";
        }

        @Override
        public List<Perception> perceive(List<Sample> samples) {
            return plain.perceive(samples);
        }

        @Override
        public List<Costed> perceiveCosted(List<Sample> samples) {
            PerceptionCost cost = new PerceptionCost(new EncodingCost(1_000, 1, 2_000, 2), 3_000, 3);
            return plain.perceive(samples).stream()
                    .map(perception -> new Costed(perception, cost))
                    .toList();
        }

        @Override
        public void close() {}
    }

    @Test
    void aSilentSampleCostsItsPerceptionAndARoutedOneItsReasoningToo() {
        Reasoner known = new Reasoner() {
            @Override
            public String id() {
                return "known";
            }

            @Override
            public List<Reasoning> reason(List<Request> requests, Runnable answered) {
                PredictionCost cost = PredictionCost.of(
                        100,
                        7,
                        new GenerationCost(
                                64, 9, new GenerationCost.Phase(5_000, 5), new GenerationCost.Phase(6_000, 6)),
                        new PredictionCost.PromptCost(0.5, new EncodingCost(10, 0.25, 0, 0), 0));
                return requests.stream()
                        .map(request -> new Reasoning("?", ResponseParser.parse("?"), FinishReason.LENGTH, cost))
                        .toList();
            }

            @Override
            public void close() {}
        };
        List<Prediction> predictions = new Cascade(
                        new CostedPerceiver(),
                        known,
                        Prompts.POOL,
                        Prompts.CATALOG,
                        new Cascade.Settings(true, true, 1, 0.5))
                .predict(samples("10", "80"), () -> {});
        assertThat(predictions).extracting(Prediction::finish).containsExactly(null, Prediction.Finish.LENGTH);
        assertThat(predictions.get(0).cost())
                .isEqualTo(new PredictionCost(
                        0,
                        0,
                        0,
                        0,
                        0,
                        PredictionCost.Parts.of(1_000, 2_000, 3_000, 0, 0),
                        PredictionCost.Parts.of(1, 2, 3, 0, 0)));
        assertThat(predictions.get(1).cost())
                .isEqualTo(new PredictionCost(
                        100,
                        0,
                        64,
                        7,
                        9,
                        PredictionCost.Parts.of(1_010, 2_000, 3_000, 5_000, 6_000),
                        PredictionCost.Parts.of(1.25, 2, 3, 5.5, 6)));
    }

    @Test
    void whatNobodyMeasuredIsNull() {
        List<Prediction> predictions = cascade(new IdPerceiver(), true, true, 1).predict(samples("10", "80"), () -> {});
        PredictionCost silent = Objects.requireNonNull(predictions.get(0).cost());
        assertThat(silent.promptTokens()).as("the reasoner did not run").isZero();
        assertThat(silent.flops())
                .isEqualTo(new PredictionCost.Parts(null, null, null, 0.0, 0.0, null))
                .isEqualTo(silent.seconds());
        assertThat(predictions.get(1).cost()).isEqualTo(PredictionCost.UNKNOWN);
    }

    /** Cannot be understood where the id ends in 7. */
    private static final class MumblingPerceiver implements Perceiver {
        private final IdPerceiver plain = new IdPerceiver();

        @Override
        public String id() {
            return "mumbling";
        }

        @Override
        public List<Perception> perceive(List<Sample> samples) {
            return plain.perceive(samples);
        }

        @Override
        public List<Costed> perceiveCosted(List<Sample> samples) {
            return samples.stream()
                    .map(sample -> new Costed(
                            plain.perceive(List.of(sample)).get(0),
                            new PerceptionCost(EncodingCost.NONE, 3_000, 3),
                            sample.id().endsWith("7") ? "no JSON" : null))
                    .toList();
        }

        @Override
        public void close() {}
    }

    @Test
    void unusableAnswerOfThePerceiver_isMalformedAndNotSilence() {
        AtomicInteger counted = new AtomicInteger();
        List<Prediction> predictions = cascade(new MumblingPerceiver(), true, true, 1)
                .predict(samples("17", "87", "10", "80"), counted::incrementAndGet);
        assertThat(counted).hasValue(4);
        assertThat(predictions)
                .extracting(Prediction::route)
                .containsExactly(
                        Prediction.Route.SILENT,
                        Prediction.Route.SILENT,
                        Prediction.Route.SILENT,
                        Prediction.Route.REASONED);
        assertThat(predictions).extracting(Prediction::unusablePerception).containsExactly(true, true, false, false);
        for (Prediction unusable : predictions.subList(0, 2)) {
            assertThat(unusable.calls()).isNull();
            assertThat(unusable.pTrigger()).as("not known").isNull();
            assertThat(unusable.scenarios()).isEmpty();
            assertThat(Objects.requireNonNull(unusable.cost()).flops().fusion()).isEqualTo(3_000);
        }
        assertThat(predictions.get(2).calls()).isEmpty();
        assertThat(reasoner.seen).hasSize(1);
    }

    @Test
    void withoutTheGateAnUnusableAnswerIsAsNoPerceiver() {
        Prediction prediction = cascade(new MumblingPerceiver(), false, true, 1)
                .predict(samples("87"), () -> {})
                .get(0);
        assertThat(prediction.route()).isEqualTo(Prediction.Route.REASONED);
        assertThat(prediction.pTrigger()).isNull();
        assertThat(names(prediction)).as("of the whole pool").hasSize(3);
        assertThat(reasoner.seen.get(0).perception()).isNull();
    }

    @Test
    void aMalformedResponseHasNoCallsButItsText() {
        Prediction prediction = cascade(new IdPerceiver(), true, true, 1)
                .predict(samples("59"), () -> {})
                .get(0);
        assertThat(prediction.calls()).isNull();
        assertThat(prediction.response()).startsWith("<recommendations>");
    }
}
