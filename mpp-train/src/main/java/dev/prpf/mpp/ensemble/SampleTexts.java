package dev.prpf.mpp.ensemble;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory.TraceStep;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The texts of a sample that linear members read. A blank text means unknown.
 *
 * @param context profile, phone and world
 * @param steps the trajectory, oldest first, at least one step; a screenshot is its text
 */
public record SampleTexts(List<String> context, List<String> steps) {
    /** Number of blocks: profile, phone, world, the last step, and the mean of all steps. */
    public static final int BLOCKS = 5;

    /**
     * Reads the texts of a sample.
     *
     * @param reader reads the text on a screenshot
     * @throws PrpfException 65 if the sample has no step
     */
    public static SampleTexts of(Sample sample, Function<TraceStep.Screenshot, String> reader) {
        List<TraceStep> steps = sample.trajectory().steps();
        if (steps.isEmpty()) {
            throw new InvalidDataException("sample " + sample.id()
                    + " has an empty trajectory, at least one step is needed; `data validate` lists such records");
        }
        return new SampleTexts(
                sample.context().texts(),
                steps.stream().map(step -> step.text(reader)).toList());
    }

    /**
     * Returns the texts that are not blank, one a line.
     *
     * @param allSteps whether to include all steps, or only the last one
     */
    public String words(boolean allSteps) {
        return Stream.concat(context.stream(), steps.stream().skip(allSteps ? 0 : steps.size() - 1L))
                .filter(text -> !text.isBlank())
                .collect(Collectors.joining("\n"));
    }

    /** Returns the texts of each block that are not blank; shape (5, N), N may be 0. */
    List<List<String>> blocks() {
        Stream<List<String>> fields = context.stream().map(List::of);
        Stream<List<String>> trajectory = Stream.of(steps.subList(steps.size() - 1, steps.size()), steps);
        return Stream.concat(fields, trajectory)
                .map(texts -> texts.stream().filter(text -> !text.isBlank()).toList())
                .toList();
    }

    /**
     * Returns the terms of profile, phone, world, trajectory and last step, which identify near-duplicates. The last step is a field of its
     * own, since samples from one growing log mostly differ in the latest event.
     *
     * @param terms tokenizes a text
     * @param screenshots of the sample; images with the same text differ by path
     */
    public List<Set<String>> fields(Function<String, List<String>> terms, List<TraceStep.Screenshot> screenshots) {
        Set<String> trajectory = new HashSet<>(terms.apply(String.join("\n", steps)));
        screenshots.forEach(screenshot -> trajectory.add("image " + screenshot.path()));
        Set<String> last = new HashSet<>(terms.apply(steps.get(steps.size() - 1)));
        Stream<Set<String>> fields = context.stream().map(text -> new HashSet<>(terms.apply(text)));
        return Stream.concat(fields, Stream.of(trajectory, last)).toList();
    }
}
