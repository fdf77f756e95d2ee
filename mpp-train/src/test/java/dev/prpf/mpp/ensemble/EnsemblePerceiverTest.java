package dev.prpf.mpp.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScenarioCatalog.Scenario;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perceiver.PerceptionCost;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class EnsemblePerceiverTest {
    private static final EnsembleModel TRAINED = EnsembleModelTest.trained(MadeTexts.samples(90, 8));

    private double textFlops;

    private EnsemblePerceiver perceiver(List<TextVectors> encoders) {
        EnsemblePerceiver.Sources sources = new EnsemblePerceiver.Sources(
                screenshot -> "text on " + screenshot.path(),
                encoders,
                () -> new EncodingCost(0, 0, textFlops, textFlops / 1000));
        return new EnsemblePerceiver(TRAINED, null, new ProbabilityCalibration.None(), sources, MadeTexts.CATALOG);
    }

    /** An encoder like the letters, with a cost of 600 operations per text. */
    private TextVectors counting() {
        return MadeTexts.vectors("letters", 26, text -> {
            textFlops += 600;
            return MadeTexts.COUNTED.encode(List.of(text))[0];
        });
    }

    @Test
    void perceptionsAreTheModelsLogitsAsProbabilities() {
        List<Sample> samples = MadeTexts.samples(12, 9);
        EnsemblePerceiver perceiver = perceiver(List.of(MadeTexts.COUNTED, MadeTexts.MEASURED));

        List<Perception> perceptions = perceiver.perceive(samples);

        double[][] logits = TRAINED.logits(MadeTexts.input(samples), null);
        for (int i = 0; i < samples.size(); i++) {
            assertThat(perceptions.get(i).pTrigger()).isCloseTo(1 / (1 + Math.exp(-logits[i][0])), within(1e-9));
            assertThat(perceptions.get(i).scenarios()).containsOnlyKeys("Travel", "Shopping");
        }
        assertThat(perceiver.perceive(List.of())).isEmpty();
        assertThat(perceiver.perceiveCosted(List.of())).isEmpty();
        assertThat(perceiver.id()).isEqualTo("gate ensemble of 5 members, letters + lengths");
    }

    @Test
    void costsAreSharedByTextsAndAddUp() {
        List<Sample> samples = new ArrayList<>(MadeTexts.samples(2, 10));
        samples.add(new Sample(
                "long",
                1,
                null,
                null,
                new DeviceContext("u", "p", "w"),
                Trajectory.ofTexts(List.of("a", "b", "c", "d", "e", "f", "g")),
                null));
        EnsemblePerceiver perceiver = perceiver(List.of(counting(), MadeTexts.MEASURED));

        List<Perceiver.Costed> costed = perceiver.perceiveCosted(samples);

        List<PerceptionCost> costs = costed.stream()
                .map(Perceiver.Costed::cost)
                .map(Objects::requireNonNull)
                .toList();
        assertThat(costs.stream()
                        .mapToDouble(cost -> cost.encoding().textFlops())
                        .sum())
                .isCloseTo(textFlops, within(1e-6));
        assertThat(costs.get(2).encoding().textFlops())
                .as("10 texts compared with 5")
                .isCloseTo(2 * costs.get(0).encoding().textFlops(), within(1e-6));
        assertThat(costs.get(0).fusionFlops()).isEqualTo(TRAINED.flops()).isPositive();
        assertThat(costed.get(1).perception())
                .isEqualTo(perceiver.perceive(samples).get(1));
    }

    @Test
    void screenshotsAndBlankFieldsAreRead() {
        Sample blank = new Sample(
                "blank",
                1,
                null,
                null,
                new DeviceContext("", "", ""),
                new Trajectory(List.of(new TraceStep.Caption(""), new TraceStep.Screenshot("a.png"))),
                null);

        Perception perception = perceiver(List.of(MadeTexts.COUNTED, MadeTexts.MEASURED))
                .perceive(List.of(blank))
                .get(0);

        assertThat(perception.pTrigger()).isBetween(0.0, 1.0);
    }

    @Test
    void otherEncodersOrScenariosAreRefused() {
        assertThatThrownBy(() -> perceiver(List.of(MadeTexts.MEASURED, MadeTexts.COUNTED)))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("trained with text encoders [letters, lengths], now [lengths, letters]");
        EnsemblePerceiver.Sources sources = new EnsemblePerceiver.Sources(
                screenshot -> "", List.of(MadeTexts.COUNTED, MadeTexts.MEASURED), () -> EncodingCost.NONE);
        ScenarioCatalog other = new ScenarioCatalog(List.of(new Scenario("Other", "其他")), Map.of());
        assertThatThrownBy(
                        () -> new EnsemblePerceiver(TRAINED, null, new ProbabilityCalibration.None(), sources, other))
                .isInstanceOf(InvalidConfigurationException.class)
                .hasMessageContaining("scenario catalogue [Travel, Shopping], now [Other]");
    }
}
