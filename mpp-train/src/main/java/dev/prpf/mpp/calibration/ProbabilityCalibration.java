package dev.prpf.mpp.calibration;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.data.run.AtomicFiles;
import dev.prpf.data.run.PrpfException;
import dev.prpf.mpp.network.JointLoss;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** From the trigger head's logit to p_trigger; non-decreasing. Kept in a run as {@code calibration.json}. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "method")
@JsonSubTypes({
    @JsonSubTypes.Type(ProbabilityCalibration.None.class),
    @JsonSubTypes.Type(ProbabilityCalibration.Temperature.class),
    @JsonSubTypes.Type(ProbabilityCalibration.Isotonic.class)
})
public sealed interface ProbabilityCalibration {
    /** File name within a run directory. */
    String FILE = "calibration.json";

    /** p_trigger of a logit, in [0, 1]. */
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
     * @param temperature T, above 0; above 1 makes the network less sure
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
                        + probabilities.size() + ": must be equally many, at least one");
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

    /** Writes {@link #FILE} into a run directory. */
    default void save(Path run) {
        try {
            AtomicFiles.writeText(run.resolve(FILE), new ObjectMapper().writeValueAsString(this) + "\n");
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * The run's calibration; {@link None} where the run has no such file.
     *
     * @throws PrpfException 65 if the file is damaged
     */
    static ProbabilityCalibration load(Path run) {
        Path file = run.resolve(FILE);
        if (!Files.isRegularFile(file)) {
            return new None();
        }
        try {
            return new ObjectMapper()
                    .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                    .readValue(Files.readAllBytes(file), ProbabilityCalibration.class);
        } catch (IOException e) {
            throw PrpfException.badData(file + ": is no calibration: " + e.getMessage());
        }
    }
}
