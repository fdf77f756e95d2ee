package dev.prpf.data;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A record: the context and last steps of a user, and the valid answers.
 *
 * @param id unique within a file
 * @param difficulty 1 (easy) to 3 (hard), as ProactiveMobile grades it
 * @param split the record's split, or null
 * @param scenario the record's scenario, or null; see {@link ScenarioCatalog#scenarioOf(Sample)}
 * @param context profile, phone and world
 * @param trajectory the user's last steps
 * @param answers the valid answers, or null if the sample is unlabelled; an empty list is silence
 */
public record Sample(
        String id,
        int difficulty,
        @Nullable String split,
        @Nullable String scenario,
        DeviceContext context,
        Trajectory trajectory,
        @Nullable List<Recommendation> answers) {

    public Sample {
        if (id.isBlank()) {
            throw new IllegalArgumentException("a sample's id must not be blank");
        }
        if (difficulty < 1 || difficulty > 3) {
            throw new IllegalArgumentException(
                    "difficulty = " + difficulty + ", must be 1, 2 or 3 (sample " + id + ")");
        }
        Objects.requireNonNull(context, "context");
        Objects.requireNonNull(trajectory, "trajectory");
        answers = answers == null ? null : List.copyOf(answers);
    }

    /** Returns whether the record has answers; an unlabelled sample is not a silent one. */
    public boolean labelled() {
        return answers != null;
    }

    /**
     * Returns the valid function-call sequences; silence is the empty sequence and may be one of several.
     *
     * @throws IllegalStateException if the sample is unlabelled
     */
    public List<List<FunctionCall>> validSequences() {
        if (answers == null) {
            throw new IllegalStateException("sample " + id + " is unlabelled: it has no valid answers to compare with");
        }
        return answers.isEmpty()
                ? List.of(List.of())
                : answers.stream().map(Recommendation::calls).toList();
    }

    /** Returns whether a valid answer has calls (the trigger label of PRPF eq. 9). */
    public boolean wantsIntervention() {
        return validSequences().stream().anyMatch(calls -> !calls.isEmpty());
    }

    /**
     * Returns the target of supervised training: the first answer, or null if it is silence.
     *
     * @throws IllegalStateException if the sample is unlabelled
     */
    public @Nullable Recommendation target() {
        return validSequences().get(0).isEmpty() || answers == null ? null : answers.get(0);
    }

    /** Returns a copy with another context, trajectory and answers. */
    public Sample with(DeviceContext context, Trajectory trajectory, @Nullable List<Recommendation> answers) {
        return new Sample(id, difficulty, split, scenario, context, trajectory, answers);
    }

    /** Returns the modality: multimodal if the trajectory has a screenshot. */
    public Modality modality() {
        return trajectory.screenshots().isEmpty() ? Modality.TEXT : Modality.MULTIMODAL;
    }

    /** The modality of a sample's trajectory. */
    public enum Modality {
        TEXT,
        MULTIMODAL;

        /** Returns the name used in files and reports: {@code text} or {@code multimodal}. */
        public String label() {
            return this == TEXT ? "text" : "multimodal";
        }
    }
}
