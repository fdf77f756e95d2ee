package dev.prpf.data;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One moment on a phone and what would have been right to do in it.
 *
 * @param id unique within a file
 * @param difficulty 1 (easy) to 3 (hard), as ProactiveMobile grades it
 * @param split the split the record says it belongs to, or null
 * @param scenario the scenario the record says it belongs to, or null; see {@link ScenarioCatalog#scenarioOf(Sample)}
 * @param context profile, phone and world
 * @param trajectory what the user did last
 * @param answers the valid answers, or null when the sample is unlabelled; an empty list is silence
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

    /** Whether the record carries answers at all; an unlabelled sample is not a silent one. */
    public boolean labelled() {
        return answers != null;
    }

    /**
     * The valid function-call sequences; silence is the empty sequence and may be one of several.
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

    /** Whether some valid answer acts (the trigger label of PRPF eq. 9). */
    public boolean wantsIntervention() {
        return validSequences().stream().anyMatch(calls -> !calls.isEmpty());
    }

    /**
     * The answer that supervised training learns: the first, or null where it is silence.
     *
     * @throws IllegalStateException if the sample is unlabelled
     */
    public @Nullable Recommendation target() {
        return validSequences().get(0).isEmpty() || answers == null ? null : answers.get(0);
    }

    /** The same record with another context, trajectory and answers. */
    public Sample with(DeviceContext context, Trajectory trajectory, @Nullable List<Recommendation> answers) {
        return new Sample(id, difficulty, split, scenario, context, trajectory, answers);
    }

    /** Text or multimodal; follows from the trajectory. */
    public Modality modality() {
        return trajectory.screenshots().isEmpty() ? Modality.TEXT : Modality.MULTIMODAL;
    }
}
