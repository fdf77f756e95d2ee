package dev.prpf.mpp.perceive;

import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Trained networks behind their encoders. There is one network for all samples, or one for each fold: then a sample goes to the network
 * that was not trained on it, so that what a reasoner is trained on looks like what it will be given.
 *
 * @param kind of the perceiver, for its id
 * @param models closed with the perceiver, which refuses with 78 unless encoder and catalogue are those they were trained with
 * @param modelOf which of the models a sample goes to
 * @param encoder stays the caller's to close
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

    /** @throws dev.prpf.base.error.PrpfException 65 for a sample that is of no fold */
    @Override
    public List<Perception> perceive(List<Sample> samples) {
        Map<Integer, List<Integer>> positions = IntStream.range(0, samples.size())
                .boxed()
                .collect(Collectors.groupingBy(i -> modelOf.applyAsInt(samples.get(i))));
        Map<Integer, Perception> perceptions = new TreeMap<>();
        positions.forEach((number, own) -> {
            MppModel model = models.get(number);
            List<Perception> answers = model.perceive(encoder.encode(
                    own.stream().map(samples::get).toList(),
                    catalog,
                    model.description().shape().contextUnit()));
            for (int k = 0; k < own.size(); k++) {
                perceptions.put(own.get(k), answers.get(k));
            }
        });
        return List.copyOf(perceptions.values());
    }

    @Override
    public void close() {
        models.forEach(MppModel::close);
    }
}
