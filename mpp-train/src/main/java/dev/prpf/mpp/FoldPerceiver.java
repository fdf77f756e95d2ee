package dev.prpf.mpp;

import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.SampleEncoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Perceives each training sample with the perceiver that did not see it, so that what a reasoner is trained on looks like what it will be
 * given: a perceiver is surer of samples it was trained on than of any other.
 */
public final class FoldPerceiver implements Perceiver {
    private final FoldPlan plan;
    private final List<MppModel> models;
    private final SampleEncoder encoder;
    private final ScenarioCatalog catalog;

    private FoldPerceiver(FoldPlan plan, List<MppModel> models, SampleEncoder encoder, ScenarioCatalog catalog) {
        this.plan = plan;
        this.models = models;
        this.encoder = encoder;
        this.catalog = catalog;
    }

    /**
     * Loads all perceivers of a directory.
     *
     * @param encoder taken over
     * @throws dev.prpf.base.error.PrpfException 69 if one is not trained, 65 if a file is damaged, 78 unless encoder and catalogue are those of
     *     the training
     */
    public static FoldPerceiver open(Path directory, SampleEncoder encoder, ScenarioCatalog catalog) {
        FoldPlan plan = FoldPlan.load(directory);
        List<MppModel> models = new ArrayList<>();
        try {
            for (int fold = 0; fold < plan.folds(); fold++) {
                models.add(MppModel.load(FoldPlan.run(directory, fold)));
                models.get(fold).description().requireSame(encoder, catalog);
            }
            return new FoldPerceiver(plan, models, encoder, catalog);
        } catch (RuntimeException e) {
            models.forEach(MppModel::close);
            throw e;
        }
    }

    @Override
    public String id() {
        return "mpp of " + plan.folds() + " folds "
                + models.get(0).description().textEncoder() + " + "
                + models.get(0).description().frameEncoder();
    }

    /**
     * {@inheritDoc}
     *
     * @throws dev.prpf.base.error.PrpfException 65 for a sample that none of the perceivers left out
     */
    @Override
    public List<Perception> perceive(List<Sample> samples) {
        Map<Integer, List<Integer>> places = new TreeMap<>();
        for (int i = 0; i < samples.size(); i++) {
            places.computeIfAbsent(plan.foldOf(samples.get(i)), fold -> new ArrayList<>())
                    .add(i);
        }
        Map<Integer, Perception> perceptions = new TreeMap<>();
        places.forEach((fold, some) -> {
            List<Sample> own = some.stream().map(samples::get).toList();
            List<Perception> said = models.get(fold)
                    .perceive(encoder.encode(
                            own, catalog, models.get(fold).description().shape().contextUnit()));
            for (int k = 0; k < some.size(); k++) {
                perceptions.put(some.get(k), said.get(k));
            }
        });
        return List.copyOf(perceptions.values());
    }

    @Override
    public void close() {
        models.forEach(MppModel::close);
        encoder.close();
    }
}
