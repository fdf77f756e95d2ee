package dev.prpf.mpp.training;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.run.Progress;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.base.run.StopSignal;
import dev.prpf.base.statistics.Interval;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.data.io.CatalogFiles;
import dev.prpf.mpp.ensemble.EnsembleDescription;
import dev.prpf.mpp.ensemble.EnsembleModel;
import dev.prpf.mpp.ensemble.EnsembleTrainer;
import dev.prpf.mpp.ensemble.MemberPlan;
import dev.prpf.mpp.ensemble.OutOfFold;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.perceive.MppModel;
import dev.prpf.mpp.split.FoldPlan;
import dev.prpf.mpp.split.SampleSplit;
import dev.prpf.mpp.split.SampleSplit.Split;
import dev.prpf.mpp.split.SplitRecord;
import dev.prpf.mpp.training.TrainedRun.PoolSizes;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trains an ensemble on encoded samples. It splits them, scores each fold by members that did not see it, and chooses strengths and weights.
 * Then it trains all members on the whole training part, calibrates on dev, and writes the answers to all held-out samples.
 *
 * @param encoders ids of the text encoders, in order
 * @param perceiver trains the network; null without one
 */
public record EnsembleJob(
        EnsembleConfig config,
        ScenarioCatalog catalog,
        FunctionPool pool,
        List<String> encoders,
        @Nullable TrainingJob perceiver) {
    private static final Logger LOG = LoggerFactory.getLogger(EnsembleJob.class);
    /** Deviation of a split's share from its setting that is logged. */
    private static final double LOGGED_DEVIATION = 0.05;

    /**
     * The counts and figures of a training, as kept in run.json.
     *
     * @param members each with its weight and out-of-fold score; the mixture first
     */
    public record Result(@JsonUnwrapped Counts counts, List<Figures> members) {}

    /**
     * The number of samples of each split, and of folds of the training part.
     *
     * @param dev all training samples, by out-of-fold scores, where dev-share is 0
     * @param different number of training samples, with near-duplicates counted once
     */
    public record Counts(int train, int dev, int calibration, int test, int different, int folds) {}

    /** A member's figures, or the mixture's with weights fitted on the other folds; the mixture is the gate. */
    public record Figures(
            String name,
            boolean primary,
            @JsonProperty("c") @Nullable Double strength,
            @Nullable Double weight,
            double auc,
            @Nullable Interval aucCi) {
        private static Figures of(EnsembleDescription.Member member) {
            OutOfFold.Figure area = member.outOfFold();
            return new Figures(member.name(), false, member.strength(), member.weight(), area.value(), area.interval());
        }

        private static List<Figures> of(EnsembleDescription ensemble) {
            OutOfFold.Figure area = ensemble.mixture();
            Figures mixture = new Figures("mixture", true, null, null, area.value(), area.interval());
            return Stream.concat(Stream.of(mixture), ensemble.members().stream().map(Figures::of))
                    .toList();
        }
    }

    public record Place(RunDirectory run, RunDescription description, StopSignal signal) {
        private EnsembleRun files() {
            return new EnsembleRun(run.path());
        }

        private void requireNoSignal(int done) {
            if (signal.requested()) {
                throw StopSignal.checkpointed(done, run.path());
            }
        }
    }

    /**
     * Trains or resumes in a run directory. Splits the data into train, dev and calibration; test samples are optional.
     *
     * @throws PrpfException 65 for an empty class, too few samples for the folds, or a calibration sample that is in training or dev too. 10
     *     if the perceiver diverges, 75 when stopped by a signal
     */
    public Result run(EnsembleData data, @Nullable EnsembleData test, Place place) {
        EnsembleRun files = place.files();
        List<Integer> groups = data.groups();
        SampleSplit split = SampleSplit.of(
                data.labelled().features(),
                groups,
                config.devShare(),
                config.calibration().share(),
                config.seed());
        SplitRecord record = SplitRecord.of(data.samples(), split.splits());
        record.requireUnseenCalibration();
        int[] training = places(split, Split.TRAIN);
        warnOfShares(split, groups);
        EnsembleData train = data.where(i -> split.splits().get(i) == Split.TRAIN);
        List<Integer> trainGroups = IntStream.of(training).mapToObj(groups::get).toList();
        FoldPlan folds = folds(train, trainGroups);
        if (perceiver != null) {
            requirePerceiverSplits(train.labelled(), folds);
        }
        files.begin();
        files.write(record, data.samples());
        files.write(PoolSizes.of(pool, catalog));
        CatalogFiles.in(place.run.path()).write(pool, catalog);
        double[][][] scores = linearScores(train, foldOf(train, folds), place);
        if (!files.files().exist()) {
            train(train, trainGroups, folds, scores, place);
        }
        place.requireNoSignal(config.folds());
        EnsembleData dev = data.where(i -> split.splits().get(i) == Split.DEV);
        EnsembleData kept = data.where(i -> split.splits().get(i) == Split.CALIBRATION);
        answer(train.samples(), scores[0], List.of(dev, kept), test, files);
        Counts counts = new Counts(
                training.length,
                config.devShare() > 0 ? dev.samples().size() : training.length,
                kept.samples().size(),
                test == null ? 0 : test.samples().size(),
                new HashSet<>(trainGroups).size(),
                config.folds());
        Result result = new Result(counts, Figures.of(files.files().readDescription()));
        place.run.finish(result);
        return result;
    }

    /** Warns if large groups of near-duplicates, which stay on one side, move shares away from the settings. */
    private void warnOfShares(SampleSplit split, List<Integer> groups) {
        double dev = places(split, Split.DEV).length / (double) groups.size();
        if (Math.abs(dev - config.devShare()) > LOGGED_DEVIATION) {
            LOG.warn(
                    "dev holds {} of {} samples, {} % instead of dev-share's {} %: near-duplicates stay together, in {}"
                            + " groups",
                    places(split, Split.DEV).length,
                    groups.size(),
                    Math.round(100 * dev),
                    Math.round(100 * config.devShare()),
                    new HashSet<>(groups).size());
        }
    }

    private static int[] places(SampleSplit split, Split part) {
        return IntStream.range(0, split.splits().size())
                .filter(i -> split.splits().get(i) == part)
                .toArray();
    }

    /** @throws PrpfException 65 if a fold would lack a class */
    private FoldPlan folds(EnsembleData train, List<Integer> groups) {
        boolean[] actsOf = train.acts();
        for (boolean acts : new boolean[] {true, false}) {
            long different = IntStream.range(0, actsOf.length)
                    .filter(i -> actsOf[i] == acts)
                    .map(groups::get)
                    .distinct()
                    .count();
            if (different < config.folds()) {
                throw new InvalidDataException("the training part holds " + different + " different "
                        + (acts ? "acting" : "silent") + " samples (near-duplicates count once), folds = "
                        + config.folds() + ": at least one for each fold is needed; give more data, or fewer folds"
                        + " with --set folds=2");
            }
        }
        List<String> keys = groups.stream().map(String::valueOf).toList();
        return FoldPlan.of(train.samples(), keys, config.folds(), config.seed());
    }

    /** @throws PrpfException 65 if a class would be missing from the split of a fold's perceiver, which has a dev part of its own */
    private void requirePerceiverSplits(LabelledData train, FoldPlan folds) {
        MppConfig own = perceiverConfig();
        for (int fold = 0; fold < folds.folds(); fold++) {
            int held = fold;
            List<SampleFeatures> others = train.where(
                            i -> folds.foldOf(train.samples().get(i)) != held)
                    .features();
            try {
                SampleSplit.of(
                        others, own.training().devShare(), own.calibration().share(), own.seed());
            } catch (InvalidDataException tooFew) {
                throw new InvalidDataException("the perceiver of fold " + fold + " would be trained on " + others.size()
                        + " samples, perceiver.training.dev-share = "
                        + own.training().devShare() + " of them held out: "
                        + tooFew.getMessage() + "; or train without it, --set perceiver=null");
            }
        }
    }

    private static int[] foldOf(EnsembleData train, FoldPlan folds) {
        return train.samples().stream().mapToInt(folds::foldOf).toArray();
    }

    private void train(EnsembleData train, List<Integer> groups, FoldPlan folds, double[][][] scores, Place place) {
        double[] perceived = null;
        if (perceiver != null) {
            perceived = perceiverScores(perceiver, train.labelled(), folds, place);
            trainPerceiver(perceiver, train.labelled(), place);
        }
        place.requireNoSignal(config.folds());
        EnsembleTrainer trainer = new EnsembleTrainer(config.members(), encoders, catalog.names());
        EnsembleTrainer.Labelled samples = new EnsembleTrainer.Labelled(
                train.input(), train.acts(), scenarios(train.samples()), foldOf(train, folds), groups);
        place.files().files().write(trainer.train(samples, scores, perceived));
    }

    private boolean[][] scenarios(List<Sample> samples) {
        return samples.stream()
                .map(catalog::labelsOf)
                .map(labels -> {
                    boolean[] has = new boolean[labels.length];
                    IntStream.range(0, has.length).forEach(s -> has[s] = labels[s] > 0);
                    return has;
                })
                .toArray(boolean[][]::new);
    }

    /** Returns out-of-fold scores of the linear members, see {@link MemberPlan#scores}. */
    private double[][][] linearScores(EnsembleData train, int[] foldOf, Place place) {
        List<MemberPlan> plans = config.members();
        double[][][] scores = plans.stream()
                .map(plan -> new double[plan.scores(catalog.size())][foldOf.length])
                .toArray(double[][][]::new);
        MemberPlan.Targets targets = new MemberPlan.Targets(train.acts(), scenarios(train.samples()));
        int done = 0;
        try (Progress progress = Progress.start("scoring held-out folds", (long) config.folds() * plans.size())) {
            for (int fold = 0; fold < config.folds(); fold++) {
                int own = fold;
                int[] seen = IntStream.range(0, foldOf.length)
                        .filter(i -> foldOf[i] != own)
                        .toArray();
                int[] held = IntStream.range(0, foldOf.length)
                        .filter(i -> foldOf[i] == own)
                        .toArray();
                List<String> ids = IntStream.of(held)
                        .mapToObj(i -> train.samples().get(i).id())
                        .toList();
                for (int m = 0; m < plans.size(); m++) {
                    MemberPlan plan = plans.get(m);
                    FoldScores kept = new FoldScores(place.files().scores(fold, m), ids, plan.scores(catalog.size()));
                    boolean before = kept.exist();
                    double[][] its = before ? kept.read() : kept.write(plan.scores(train.input(), targets, seen, held));
                    done++;
                    for (int c = 0; c < its.length; c++) {
                        for (int k = 0; k < held.length; k++) {
                            scores[m][c][held[k]] = its[c][k];
                        }
                    }
                    progress.step();
                    if (!before) {
                        place.requireNoSignal(done);
                    }
                }
            }
        }
        return scores;
    }

    /** Returns out-of-fold scores of the perceiver, shape (n), by perceivers trained like {@code gate train --folds}. */
    private double[] perceiverScores(TrainingJob job, LabelledData train, FoldPlan plan, Place place) {
        MppRun.Folds files = place.files().folds();
        MppConfig own = perceiverConfig();
        RunDescription description = ownDescription(place, own);
        try (RunDirectory run = RunDirectory.open(files.path(), Resume.AUTO, description)) {
            new TrainingSeries(job, run, description, place.signal).train(plan, own, train);
            run.finish(Map.of("folds", plan.folds()));
        }
        double[] scores = new double[train.samples().size()];
        for (int fold = 0; fold < plan.folds(); fold++) {
            int held = fold;
            int[] places = IntStream.range(0, scores.length)
                    .filter(i -> plan.foldOf(train.samples().get(i)) == held)
                    .toArray();
            double[] logits = files.fold(fold).perceptions(Split.TEST).logits();
            IntStream.range(0, places.length).forEach(k -> scores[places[k]] = JointLoss.sigmoid(logits[k]));
        }
        return scores;
    }

    private void trainPerceiver(TrainingJob job, LabelledData train, Place place) {
        MppConfig own = perceiverConfig();
        Path directory = place.files().perceiver().path();
        try (RunDirectory run = RunDirectory.open(directory, Resume.AUTO, ownDescription(place, own))) {
            if (!run.finished()) {
                job.run(own, train, null, run, place.signal);
            }
        }
    }

    private MppConfig perceiverConfig() {
        return Objects.requireNonNull(config.perceiverConfig(), "the ensemble has no perceiver");
    }

    private static RunDescription ownDescription(Place place, MppConfig own) {
        RunDescription above = place.description;
        return new RunDescription(above.command(), above.arguments(), StrictYaml.write(own), above.facts());
    }

    /** @param held the dev and calibration samples */
    private void answer(
            List<Sample> train,
            double[][] outOfFold,
            List<EnsembleData> held,
            @Nullable EnsembleData test,
            EnsembleRun files) {
        EnsembleModel model = files.files().read(); // from the files, like later commands
        try (MppModel network = perceiver == null ? null : files.perceiver().model()) {
            Answers answers = new Answers(
                    catalog,
                    train,
                    config.devShare() > 0
                            ? answers(model, network, held.get(0))
                            : new Answers.Part(train, model.outOfFold(outOfFold)),
                    answers(model, network, held.get(1)),
                    test == null ? null : answers(model, network, test));
            answers.write(files, config.calibration().method(), files.weightsSha256());
        }
    }

    private static Answers.Part answers(EnsembleModel model, @Nullable MppModel network, EnsembleData data) {
        double[][] own = network == null ? null : network.logits(data.labelled().features());
        return new Answers.Part(data.samples(), model.logits(data.input(), own));
    }
}
