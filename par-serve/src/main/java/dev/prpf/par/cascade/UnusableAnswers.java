package dev.prpf.par.cascade;

import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.mpp.Perception;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A perceiver's answers of which nothing can be made: each is named in the log and counted, and its sample triggers nothing. */
final class UnusableAnswers {
    private static final Logger LOG = LoggerFactory.getLogger(UnusableAnswers.class);

    private final ScenarioCatalog catalog;
    private int count;

    UnusableAnswers(ScenarioCatalog catalog) {
        this.catalog = catalog;
    }

    int count() {
        return count;
    }

    Perception of(Sample sample, String why) {
        count++;
        LOG.warn(
                "sample {}: the perceiver's answer is malformed ({}); it triggers nothing, as {} so far",
                sample.id(),
                why,
                count);
        return ReasonerPerceiver.perception(0, catalog, scenario -> 0.0);
    }
}
