package dev.prpf.par.sets;

import java.util.List;
import java.util.function.IntFunction;

/** The examples of a training run, which may be written anew for every epoch. */
public interface SftExampleSource {
    /** As the data have them: what is split, counted and held out. */
    List<SftExample> examples();

    /**
     * The examples that are trained on, as each epoch shows them. Nothing of the others enters them.
     *
     * @param places in {@link #examples()} of those trained on
     * @return from an epoch's number, from 0, to some form of each of these examples, in order; the same epoch gives the same examples
     */
    IntFunction<List<SftExample>> training(List<Integer> places);

    /** The same in every epoch. */
    static SftExampleSource fixed(List<SftExample> examples) {
        List<SftExample> all = List.copyOf(examples);
        return new SftExampleSource() {
            @Override
            public List<SftExample> examples() {
                return all;
            }

            @Override
            public IntFunction<List<SftExample>> training(List<Integer> places) {
                List<SftExample> trained = places.stream().map(all::get).toList();
                return epoch -> trained;
            }
        };
    }
}
