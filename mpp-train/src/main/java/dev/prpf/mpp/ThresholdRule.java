package dev.prpf.mpp;

import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.mpp.guarantee.LearnThenTest;
import java.nio.file.Path;

/** How a run's threshold is chosen. */
public sealed interface ThresholdRule {
    /** The run's threshold by this rule, not yet kept. */
    TriggerThreshold choose(Path run);

    /** On the dev samples alone: the paper's rule, or another constraint. What holds on dev need not hold on data to come. */
    record OnDev(TriggerThreshold.Constraint constraint) implements ThresholdRule {
        @Override
        public TriggerThreshold choose(Path run) {
            LabelledPerceptions dev = LabelledPerceptions.load(run, Split.DEV);
            return TriggerThreshold.choose(dev.pTrigger(), dev.acts(), constraint);
        }
    }

    /** With a bound that holds on exchangeable data, from the calibration samples that nothing saw. */
    record Guaranteed(LearnThenTest test) implements ThresholdRule {
        /** @throws PrpfException 78 if the run kept no calibration samples, 65 if something saw one; else {@link LearnThenTest#bounded}'s */
        @Override
        public TriggerThreshold choose(Path run) {
            SplitRecord record = SplitRecord.load(run);
            if (record.has(Split.CALIBRATION)) {
                LabelledPerceptions.requireWritten(run, Split.CALIBRATION);
            } else if (!LabelledPerceptions.exists(run, Split.CALIBRATION)) {
                throw new InvalidConfigurationException(
                        "the run kept no samples from training, stopping and calibration (calibration.share was 0),"
                                + " and a bound on any others would be no guarantee; train with --set"
                                + " calibration.share=0.2 in another --run-dir");
            }
            LabelledPerceptions calibration = LabelledPerceptions.load(run, Split.CALIBRATION);
            record.requireUnseen(calibration);
            return TriggerThreshold.guaranteed(
                    test,
                    LabelledPerceptions.load(run, Split.DEV),
                    calibration,
                    AtomicFiles.sha256(LabelledPerceptions.file(run, Split.CALIBRATION)));
        }
    }

    /**
     * The run's threshold by this rule with the weights it belongs to, not yet kept.
     *
     * @throws PrpfException as of {@link #choose}, naming the run
     */
    default TriggerThreshold chosenIn(Path run) {
        try {
            return choose(run).of(RunWeights.of(run));
        } catch (PrpfException e) {
            throw e.at(run.toString());
        }
    }

    /** Chooses and keeps the threshold in the run, with its curve; see {@link #chosenIn}. */
    default TriggerThreshold apply(Path run) {
        TriggerThreshold threshold = chosenIn(run);
        threshold.keep(run);
        return threshold;
    }
}
