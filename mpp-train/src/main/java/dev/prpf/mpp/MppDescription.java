package dev.prpf.mpp;

import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.run.PrpfException;
import dev.prpf.mpp.network.JointLoss;
import dev.prpf.mpp.network.NetworkShape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a trained perceiver is, kept beside its arrays.
 *
 * @param shape the network
 * @param loss what it was trained on
 * @param scenarios names of the scenario outputs, in order
 * @param textEncoder id of the encoder of its texts
 * @param frameEncoder id of the encoder of its pictures
 */
public record MppDescription(
        NetworkShape shape, JointLoss loss, List<String> scenarios, String textEncoder, String frameEncoder) {
    public MppDescription {
        scenarios = List.copyOf(scenarios);
        if (scenarios.size() != shape.scenarios()) {
            throw new IllegalArgumentException(
                    scenarios.size() + " scenario names for " + shape.scenarios() + " outputs");
        }
    }

    /** @throws PrpfException 78 unless the encoders and the catalogue are those this perceiver was trained with */
    public void requireSame(SampleEncoder encoder, ScenarioCatalog catalog) {
        require("text encoder", textEncoder, encoder.textEncoderId());
        require("frame encoder", frameEncoder, encoder.frameEncoderId());
        require("encoder width", shape.width(), encoder.width());
        require("scenario catalogue", scenarios, catalog.names());
    }

    /**
     * Logits as probabilities (PRPF eq. 7 and 8).
     *
     * @param trigger the trigger's logit
     * @param scenarioLogits in the order of {@link #scenarios}
     */
    public Perception perception(float trigger, float[] scenarioLogits) {
        Map<String, Double> probabilities = new LinkedHashMap<>();
        for (int s = 0; s < scenarioLogits.length; s++) {
            probabilities.put(scenarios.get(s), JointLoss.sigmoid(scenarioLogits[s]));
        }
        return new Perception(JointLoss.sigmoid(trigger), probabilities);
    }

    private static void require(String what, Object trained, Object given) {
        if (!trained.equals(given)) {
            throw PrpfException.badConfig("the perceiver was trained with " + what + " " + trained + ", now it is "
                    + given + ": its outputs would mean nothing; use the same, or train again");
        }
    }
}
