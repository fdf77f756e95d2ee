package dev.prpf.mpp.calibration;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.mpp.network.definition.JointLoss;
import java.util.Arrays;
import java.util.List;

/** Maps the trigger head's logit to p_trigger; non-decreasing. See {@link FittedCalibration} for its file. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "method")
@JsonSubTypes({
    @JsonSubTypes.Type(ProbabilityCalibration.None.class),
    @JsonSubTypes.Type(ProbabilityCalibration.Temperature.class),
    @JsonSubTypes.Type(ProbabilityCalibration.Isotonic.class)
})
public sealed interface ProbabilityCalibration {
    /** Returns p_trigger of a logit, in [0, 1]. */
    double probability(double logit);

    /** The network's own probability, σ(logit) (PRPF eq. 7). */
    @JsonTypeName("none")
    record None() implements ProbabilityCalibration {
        @Override
        public double probability(double logit) {
            return JointLoss.sigmoid(logit);
        }
    }

    /**
     * σ(logit / T) (Guo et al., "On Calibration of Modern Neural Networks", ICML 2017).
     *
     * @param temperature T, above 0; above 1 makes the network less confident
     */
    @JsonTypeName("temperature")
    record Temperature(double temperature) implements ProbabilityCalibration {
        public Temperature {
            if (!(temperature > 0 && Double.isFinite(temperature))) {
                throw new IllegalArgumentException("temperature = " + temperature + ", must be a number above 0");
            }
        }

        @Override
        public double probability(double logit) {
            return JointLoss.sigmoid(logit / temperature);
        }
    }

    /**
     * Linear between knots, constant beyond the outer ones (Zadrozny and Elkan, KDD 2002).
     *
     * @param logits of the knots, ascending
     * @param probabilities at the knots, non-decreasing, in [0, 1]
     */
    @JsonTypeName("isotonic")
    record Isotonic(List<Double> logits, List<Double> probabilities) implements ProbabilityCalibration {
        public Isotonic {
            logits = List.copyOf(logits);
            probabilities = List.copyOf(probabilities);
            if (logits.isEmpty() || logits.size() != probabilities.size()) {
                throw new IllegalArgumentException("logits = " + logits.size() + ", probabilities = "
                        + probabilities.size() + ": must be of equal length, at least 1");
            }
            for (int i = 0; i < logits.size(); i++) {
                boolean ascends = i == 0
                        || (logits.get(i - 1) < logits.get(i) && probabilities.get(i - 1) <= probabilities.get(i));
                if (!ascends || !(probabilities.get(i) >= 0 && probabilities.get(i) <= 1)) {
                    throw new IllegalArgumentException("knot " + i + " at logit " + logits.get(i) + " with probability "
                            + probabilities.get(i) + ": knots must ascend, probabilities lie in [0, 1]");
                }
            }
        }

        @Override
        public double probability(double logit) {
            double[] x = logits.stream().mapToDouble(Double::doubleValue).toArray();
            int at = Arrays.binarySearch(x, logit);
            if (at >= 0) {
                return probabilities.get(at);
            }
            int above = -at - 1;
            if (above == 0 || above == x.length) {
                return probabilities.get(above == 0 ? 0 : x.length - 1);
            }
            double share = (logit - x[above - 1]) / (x[above] - x[above - 1]);
            double low = probabilities.get(above - 1);
            return low + share * (probabilities.get(above) - low);
        }
    }

    /** A run's calibration and the {@code MppModel.weightsSha256} that it was fitted on. */
    record FittedCalibration(ProbabilityCalibration calibration, String modelSha256) {
        private static final String MODEL = "model_sha256";

        public FittedCalibration {
            Rule.require(modelSha256.matches("[0-9a-f]{64}"), MODEL, modelSha256, "a SHA-256 in hexadecimal");
        }

        /** One JSON object: the calibration's keys and {@code model_sha256}. */
        public String json() {
            return ((ObjectNode) JsonRecords.tree(calibration))
                    .put(MODEL, modelSha256)
                    .toString();
        }

        /**
         * Reads what {@link #json} wrote; removes a key from the tree.
         *
         * @param place of the object, for messages
         * @throws PrpfException 65 if it is damaged
         */
        public static FittedCalibration of(String place, ObjectNode tree) {
            ObjectNode components = tree.objectNode();
            components.set(MODEL, tree.remove(MODEL));
            components.set("calibration", tree);
            return JsonRecords.read(place, "calibration", components.toString(), FittedCalibration.class);
        }
    }
}
