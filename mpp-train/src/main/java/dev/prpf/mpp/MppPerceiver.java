package dev.prpf.mpp;

import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.SampleEncoder;
import java.util.List;

/** The trained perceiver on samples: encoders, then network. */
public final class MppPerceiver implements Perceiver {
    private final MppModel model;
    private final SampleEncoder encoder;
    private final ScenarioCatalog catalog;

    /**
     * Takes ownership of model and encoder.
     *
     * @throws dev.prpf.base.error.PrpfException 78 unless encoder and catalogue are those of the training
     */
    public MppPerceiver(MppModel model, SampleEncoder encoder, ScenarioCatalog catalog) {
        model.description().requireSame(encoder, catalog);
        this.model = model;
        this.encoder = encoder;
        this.catalog = catalog;
    }

    @Override
    public String id() {
        return "mpp " + model.description().textEncoder() + " + "
                + model.description().frameEncoder();
    }

    @Override
    public List<Perception> perceive(List<Sample> samples) {
        return samples.isEmpty()
                ? List.of()
                : model.perceive(encoder.encode(
                        samples, catalog, model.description().shape().contextUnit()));
    }

    @Override
    public void close() {
        model.close();
        encoder.close();
    }
}
