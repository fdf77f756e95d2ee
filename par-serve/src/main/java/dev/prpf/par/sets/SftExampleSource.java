package dev.prpf.par.sets;

import java.util.List;

/** The examples of a training run, which may be written anew for every epoch. */
public interface SftExampleSource {
    /** As the data have them: what is split, counted and held out. */
    List<SftExample> examples();

    /**
     * As an epoch shows them; the i-th is some form of the i-th of {@link #examples()}. The same epoch gives the same examples.
     *
     * @param epoch from 0
     */
    List<SftExample> epoch(int epoch);

    /** The same in every epoch. */
    static SftExampleSource fixed(List<SftExample> examples) {
        List<SftExample> all = List.copyOf(examples);
        return new SftExampleSource() {
            @Override
            public List<SftExample> examples() {
                return all;
            }

            @Override
            public List<SftExample> epoch(int epoch) {
                return all;
            }
        };
    }
}
