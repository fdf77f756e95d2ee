package dev.prpf.mpp.perceive;

import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perceiver.PerceptionCost;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.NetworkSummary;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A perceiver of trained networks and their encoder: one network for all samples, or one for each fold. With folds, a sample goes to the
 * network that was not trained on it. So a reasoner's training data resembles its later input.
 *
 * @param kind of the perceiver, for its id
 * @param models closed with the perceiver; 78 if the encoder or the catalogue differ from those of the training
 * @param modelOf index of the model for a sample
 * @param encoder not owned; the caller closes it
 */
public record MppPerceiver(
        String kind,
        List<MppModel> models,
        ToIntFunction<Sample> modelOf,
        SampleEncoder encoder,
        ScenarioCatalog catalog)
        implements Perceiver {
    public MppPerceiver {
        models.forEach(model -> model.description().requireSame(encoder, catalog));
        models = List.copyOf(models);
    }

    @Override
    public String id() {
        MppDescription first = models.get(0).description();
        return kind + " " + first.textEncoder() + " + " + first.frameEncoder();
    }

    /** @throws dev.prpf.base.error.PrpfException 65 for a sample without a fold */
    @Override
    public List<Perception> perceive(List<Sample> samples) {
        return byModel(samples, this::perceive);
    }

    /**
     * {@inheritDoc} See {@link PerceptionShares} for the shares. The logits are copied to the host, so that the measured time includes a
     * GPU's.
     */
    @Override
    public List<Costed> perceiveCosted(List<Sample> samples) {
        return byModel(samples, this::perceiveCosted);
    }

    private List<Perception> perceive(MppModel model, List<Sample> samples) {
        return model.perceive(features(model, samples));
    }

    private List<SampleFeatures> features(MppModel model, List<Sample> samples) {
        return encoder.encode(samples, catalog, model.description().shape().contextUnit());
    }

    private List<Costed> perceiveCosted(MppModel model, List<Sample> samples) {
        EncodingCost.Costed<List<SampleFeatures>> features =
                EncodingCost.Costed.of(encoder::cost, () -> features(model, samples));
        long start = System.nanoTime();
        List<Perception> perceptions = model.perceive(features.result());
        double seconds = (System.nanoTime() - start) / 1e9;
        List<PerceptionCost> costs = new PerceptionShares(model.description().shape(), encoder.readsScreens())
                .of(features.result(), features.cost(), seconds);
        return IntStream.range(0, samples.size())
                .mapToObj(i -> new Costed(perceptions.get(i), costs.get(i)))
                .toList();
    }

    private <T> List<T> byModel(List<Sample> samples, BiFunction<MppModel, List<Sample>, List<T>> perceiving) {
        Map<Integer, List<Integer>> positions = IntStream.range(0, samples.size())
                .boxed()
                .collect(Collectors.groupingBy(i -> modelOf.applyAsInt(samples.get(i))));
        Map<Integer, T> all = new TreeMap<>();
        positions.forEach((number, own) -> {
            List<T> answers = perceiving.apply(
                    models.get(number), own.stream().map(samples::get).toList());
            for (int k = 0; k < own.size(); k++) {
                all.put(own.get(k), answers.get(k));
            }
        });
        return List.copyOf(all.values());
    }

    @Override
    public void close() {
        models.forEach(MppModel::close);
    }

    /**
     * Splits the cost of a batch: the encoders' part by each sample's number of screenshots and texts, the network's seconds equally. The
     * network's operations are counted per sample, without padding.
     *
     * @param readsScreens whether screenshots count as texts
     */
    record PerceptionShares(NetworkShape shape, boolean readsScreens) {
        /**
         * Returns one cost for each sample, in order; encoding and seconds sum to the given totals.
         *
         * @param seconds of the network
         */
        List<PerceptionCost> of(List<SampleFeatures> samples, EncodingCost encoding, double seconds) {
            long screenshots =
                    samples.stream().mapToLong(SampleFeatures::screenshots).sum();
            long texts = samples.stream().mapToLong(this::texts).sum();
            return samples.stream()
                    .map(sample -> {
                        double ofFrames = screenshots == 0 ? 0 : (double) sample.screenshots() / screenshots;
                        EncodingCost own = encoding.times(ofFrames, (double) texts(sample) / texts);
                        return new PerceptionCost(own, flops(sample), seconds / samples.size());
                    })
                    .toList();
        }

        private int texts(SampleFeatures sample) {
            int steps = sample.screenshot().length;
            return sample.contextVectors() + (readsScreens ? steps : steps - sample.screenshots());
        }

        private long flops(SampleFeatures sample) {
            int steps = Math.max(1, shape.window().seen(sample.screenshot()));
            return NetworkSummary.of(shape, steps).flops();
        }
    }
}
