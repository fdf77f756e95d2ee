package dev.prpf.mpp.ensemble;

import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perceiver.PerceptionCost;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.NetworkSummary;
import dev.prpf.mpp.perceive.MppModel;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A perceiver that encodes samples and runs a trained ensemble; does not own the encoders.
 *
 * @param model the linear members and the mixture
 * @param network the perceiver among the members, closed together with this; or null
 * @param calibration maps the mixture's logit to p_trigger
 * @param sources encoders and the screenshot reader
 */
public record EnsemblePerceiver(
        EnsembleModel model,
        @Nullable Network network,
        ProbabilityCalibration calibration,
        Sources sources,
        ScenarioCatalog catalog)
        implements Perceiver {

    /** The network among the members and its encoder. */
    public record Network(MppModel model, SampleEncoder encoder) {}

    /**
     * The screenshot reader and the encoders of samples.
     *
     * @param screens reads the text on a screenshot
     * @param texts the encoders, in the order of the training
     * @param cost total cost of all encoders so far
     */
    public record Sources(
            Function<TraceStep.Screenshot, String> screens,
            List<? extends TextVectors> texts,
            Supplier<EncodingCost> cost) {}

    /** @throws dev.prpf.base.error.PrpfException 78 if the encoders or the catalogue differ from those of the training */
    public EnsemblePerceiver {
        model.description()
                .requireSame(sources.texts.stream().map(TextVectors::id).toList(), catalog);
        if (network != null) {
            network.model.description().requireSame(network.encoder, catalog);
        }
    }

    @Override
    public String id() {
        EnsembleDescription of = model.description();
        return "gate ensemble of " + of.members().size() + " members, " + String.join(" + ", of.encoders());
    }

    @Override
    public List<Perception> perceive(List<Sample> samples) {
        return samples.isEmpty() ? List.of() : perceptions(read(samples));
    }

    private List<Perception> perceptions(Read read) {
        return Arrays.stream(logits(read))
                .map(row -> Perception.of(row, model.description().scenarios(), calibration))
                .toList();
    }

    private double[][] logits(Read read) {
        return model.logits(read.input, network == null ? null : network.model.logits(read.features));
    }

    /** Encoded samples; features only with a network. */
    private record Read(LinearInput input, List<SampleFeatures> features) {}

    private Read read(List<Sample> samples) {
        List<SampleTexts> texts = samples.stream()
                .map(sample -> SampleTexts.of(sample, sources.screens))
                .toList();
        List<SampleFeatures> features = network == null
                ? List.of()
                : network.encoder.encode(
                        samples, catalog, network.model.description().shape().contextUnit());
        return new Read(LinearInput.of(texts, sources.texts), features);
    }

    /**
     * {@inheritDoc} The encoders' cost is split in proportion to each sample's number of screenshots and texts, the members' seconds equally.
     */
    @Override
    public List<Costed> perceiveCosted(List<Sample> samples) {
        if (samples.isEmpty()) {
            return List.of();
        }
        EncodingCost.Costed<Read> read = EncodingCost.Costed.of(sources.cost, () -> read(samples));
        long start = System.nanoTime();
        List<Perception> perceptions = perceptions(read.result());
        double seconds = (System.nanoTime() - start) / 1e9 / samples.size();
        double screenshots =
                samples.stream().mapToInt(EnsemblePerceiver::screenshots).sum();
        double texts = samples.stream().mapToInt(EnsemblePerceiver::texts).sum();
        return IntStream.range(0, samples.size())
                .mapToObj(i -> {
                    Sample sample = samples.get(i);
                    double ofFrames = screenshots == 0 ? 0 : screenshots(sample) / screenshots;
                    EncodingCost own = read.cost().times(ofFrames, texts(sample) / texts);
                    double flops = model.flops() + networkFlops(read.result().features, i);
                    return new Costed(perceptions.get(i), new PerceptionCost(own, flops, seconds));
                })
                .toList();
    }

    private double networkFlops(List<SampleFeatures> features, int sample) {
        if (network == null) {
            return 0;
        }
        NetworkShape shape = network.model.description().shape();
        int steps = Math.max(1, shape.window().seen(features.get(sample).screenshot()));
        return NetworkSummary.of(shape, steps).flops();
    }

    private static int screenshots(Sample sample) {
        return sample.trajectory().screenshots().size();
    }

    private static int texts(Sample sample) {
        return sample.context().texts().size() + sample.trajectory().steps().size();
    }

    @Override
    public void close() {
        if (network != null) {
            network.model.close();
        }
    }
}
