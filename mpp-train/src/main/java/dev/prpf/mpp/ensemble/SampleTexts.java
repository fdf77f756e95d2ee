package dev.prpf.mpp.ensemble;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.Sample;
import dev.prpf.data.TraceStep;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the linear members read of a sample; any of the texts may be blank, which says that nothing is known.
 *
 * @param context profile, phone and world
 * @param steps the trajectory, oldest first, at least one; of a screenshot the text on it
 */
public record SampleTexts(List<String> context, List<String> steps) {
    /** Profile, phone, world, the last step, and the mean of all steps. */
    public static final int BLOCKS = 5;

    public SampleTexts {
        context = List.copyOf(context);
        steps = List.copyOf(steps);
    }

    /**
     * The texts of a sample.
     *
     * @param reader gives the text on a screenshot
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
     * What is known, a line a text.
     *
     * @param allSteps whether of all steps, or of the last one alone
     */
    public String words(boolean allSteps) {
        return Stream.concat(context.stream(), steps.stream().skip(allSteps ? 0 : steps.size() - 1L))
                .filter(text -> !text.isBlank())
                .collect(Collectors.joining("\n"));
    }

    /** The texts of each block whose vectors are averaged there, blank ones left out; shape (5, N), N may be 0. */
    List<List<String>> blocks() {
        Stream<List<String>> fields = context.stream().map(List::of);
        Stream<List<String>> trajectory = Stream.of(steps.subList(steps.size() - 1, steps.size()), steps);
        return Stream.concat(fields, trajectory)
                .map(texts -> texts.stream().filter(text -> !text.isBlank()).toList())
                .toList();
    }

    /**
     * The terms of profile, phone, world, trajectory and last step, by which near-duplicates are found. The last step stands for itself: moments of
     * one growing log share most of their trajectories, and what has just happened is what tells them apart.
     *
     * @param terms cuts a text
     * @param screenshots of the sample; two pictures with the same text on them are told apart by their paths
     */
    public List<Set<String>> fields(Function<String, List<String>> terms, List<TraceStep.Screenshot> screenshots) {
        Set<String> trajectory = new HashSet<>(terms.apply(String.join("\n", steps)));
        screenshots.forEach(screenshot -> trajectory.add("picture " + screenshot.path()));
        Set<String> last = new HashSet<>(terms.apply(steps.get(steps.size() - 1)));
        Stream<Set<String>> fields = context.stream().map(text -> new HashSet<>(terms.apply(text)));
        return Stream.concat(fields, Stream.of(trajectory, last)).toList();
    }
}
