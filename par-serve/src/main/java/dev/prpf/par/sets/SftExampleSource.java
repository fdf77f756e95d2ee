package dev.prpf.par.sets;

import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * The examples of a training run, which may be written anew for every epoch.
 *
 * @param examples as the data have them: what is split, counted and held out
 * @param forms from the places of the examples that are trained on to {@link #training}
 */
public record SftExampleSource(
        List<SftExample> examples, Function<List<Integer>, IntFunction<List<SftExample>>> forms) {
    public SftExampleSource {
        examples = List.copyOf(examples);
    }

    /** The same in every epoch. */
    public static SftExampleSource fixed(List<SftExample> examples) {
        return new SftExampleSource(examples, places -> {
            List<SftExample> trained = places.stream().map(examples::get).toList();
            return epoch -> trained;
        });
    }

    /**
     * The examples that are trained on, as each epoch shows them. Nothing of the others enters them.
     *
     * @param places in {@link #examples()} of those trained on
     * @return from an epoch's number, from 0, to some form of each of these examples, in order; the same epoch gives the same examples
     */
    public IntFunction<List<SftExample>> training(List<Integer> places) {
        return forms.apply(places);
    }
}
