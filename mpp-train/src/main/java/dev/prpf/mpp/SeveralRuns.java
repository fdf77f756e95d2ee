package dev.prpf.mpp;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import java.nio.file.Path;

/** Directories that hold the runs of several perceivers, given where one is needed. */
public final class SeveralRuns {
    private SeveralRuns() {}

    /** @throws PrpfException 69 if a directory holds the perceivers of folds or of seeds, saying how to come to one; 65 if its list is damaged */
    public static void refuse(Path given) {
        if (FoldPlan.isPlanned(given)) {
            throw new UnavailableException(
                    given + ": holds the perceivers of folds, which are for the records they were trained on (data"
                            + " sft, par sft, data rollouts); here one of all data is needed: `prpf mpp train` without"
                            + " --folds");
        }
        if (SeedRun.isPlanned(given)) {
            throw new UnavailableException(given + ": holds the runs of several seeds; name one of them, such as "
                    + given.resolve(SeedRun.load(given).get(0).path()));
        }
    }
}
