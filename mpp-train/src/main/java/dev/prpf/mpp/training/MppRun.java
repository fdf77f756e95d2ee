package dev.prpf.mpp.training;

import dev.prpf.base.command.CascadePart;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.RecordLines;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.run.CheckpointStore;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.SampleEncoders;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.perceive.MppModel;
import dev.prpf.mpp.perceive.MppPerceiver;
import dev.prpf.mpp.split.FoldPlan;
import dev.prpf.mpp.split.SampleSplit.Split;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The run directory of {@code gate train}. Only this class and its cases name, read, write and check the files.
 *
 * <ul>
 * <li>{@link Single}, {@link EnsembleRun}: one perceiver;
 * <li>{@link Seeds}, {@link Folds}: several, each with a {@link Single} for its directory.
 * </ul>
 */
public abstract sealed class MppRun permits TrainedRun, MppRun.Seeds, MppRun.Folds {
    final Path path;

    MppRun(Path path) {
        this.path = path;
    }

    /** Returns the run in a directory by its files; a checkpoint, or a directory without a run's files, is a {@link Single}. */
    public static MppRun of(Path path) {
        if (Files.isRegularFile(path.resolve(Folds.PLAN))) {
            return new Folds(path);
        }
        if (Files.isRegularFile(path.resolve(Seeds.PLAN))) {
            return new Seeds(path);
        }
        return Files.isDirectory(path.resolve(EnsembleRun.DIRECTORY)) ? new EnsembleRun(path) : new Single(path);
    }

    /**
     * Returns the run of one perceiver or ensemble in a directory.
     *
     * @throws PrpfException 69, with advice, if the directory holds the perceivers of folds or of seeds
     */
    public static TrainedRun trained(Path path) {
        return of(path).one();
    }

    /** Returns the run if it has one perceiver or ensemble; throws 69, with advice, otherwise. */
    abstract TrainedRun one();

    /** Returns the run's directory, which need not exist yet. */
    public final Path path() {
        return path;
    }

    /** @throws PrpfException 69 if the training is not finished */
    public void requireFinished() {
        one().requireFinished();
    }

    /** Returns the plan of the runs that tables compare; for one perceiver, of the run itself. */
    public SeedPlan plan() {
        return one().plan();
    }

    /** Returns the runs of the plan, in its order. */
    public final List<TrainedRun> runs() {
        return plan().runs().stream()
                .map(one -> trained(path.resolve(one.path())))
                .toList();
    }

    /**
     * Returns the SHA-256 over the checksums of the files that determine the run's answers.
     *
     * @throws PrpfException 69 if there is no trained perceiver
     */
    public String sha256() {
        return one().sha256();
    }

    /**
     * Opens the perceiver for a reasoner's training records. With folds, each record goes to the network that did not see it; otherwise this
     * is {@link TrainedRun#perceiver}.
     */
    public Perceiver perceiverForTraining(SampleEncoders encoders, ScenarioCatalog catalog) {
        return one().perceiver(encoders, catalog);
    }

    final Path existing(String name, String remedy) {
        Path file = path.resolve(name);
        if (!Files.isRegularFile(file)) {
            throw new UnavailableException(file + ": does not exist" + remedy);
        }
        return file;
    }

    /** Returns the command that makes this run, or the cascade that it is the gate of. */
    final String maker() {
        return isOfCascade()
                ? "`prpf train RECIPE.yaml` with another --run-dir"
                : "`prpf gate train --run-dir " + path + "`";
    }

    /** Returns whether the run is a cascade or its gate, which have only what serving needs. */
    final boolean isOfCascade() {
        return Files.exists(path.resolve(CascadePart.CASCADE))
                || Files.exists(path.resolveSibling(CascadePart.CASCADE));
    }

    static <T extends Record> List<T> lines(RecordLines<T> format, Path file) {
        List<T> records = new ArrayList<>();
        format.read(file, (place, record) -> records.add(record));
        return records;
    }

    final void write(String name, Record record) {
        AtomicFiles.writeText(path.resolve(name), JsonRecords.tree(record).toPrettyString() + "\n");
    }

    final <T extends Record> T record(String name, String what, Class<T> type, String... optional) {
        Path file = existing(name, "; " + maker() + " writes it");
        return JsonRecords.read(
                file.toString(), what, IoFailure.whileReading(file, () -> Files.readString(file)), type, optional);
    }

    /**
     * The run directory of one perceiver's training, or a checkpoint. It has {@code best/step_N} (the weights, see {@link MppModel}) in
     * addition to the files of {@link TrainedRun}.
     */
    public static final class Single extends TrainedRun {
        private static final String BEST = "best";
        private static final int KEPT_BESTS = 2;

        public Single(Path path) {
            super(path);
        }

        @Override
        public MppConfig config() {
            return config(MppConfig.class);
        }

        /** Returns the store of the best epochs' checkpoints. */
        public CheckpointStore bests() {
            return new CheckpointStore(path.resolve(BEST), KEPT_BESTS);
        }

        /** Returns the best epoch's checkpoint of a step. */
        public Path best(long step) {
            return path.resolve(BEST).resolve("step_" + step);
        }

        /**
         * Reads the best epoch of a training that has just ended, by its step, without calibration.
         *
         * @throws PrpfException 65 if the checkpoint is damaged; an older one would not be dev's choice
         */
        public MppModel uncalibrated(long step) {
            String defect = CheckpointStore.defect(best(step));
            if (defect != null) {
                throw new InvalidDataException(
                        best(step) + ": is not a complete checkpoint: " + defect
                                + "; it was the best epoch, so the training's result is lost; train again with another --run-dir");
            }
            return MppModel.read(best(step), new ProbabilityCalibration.None());
        }

        /**
         * @throws PrpfException 69 if there is no trained perceiver. 65 if its files are damaged or written by another program or version, or the
         *     calibration belongs to other weights
         */
        public MppModel model() {
            Path checkpoint = checkpoint();
            return MppModel.read(checkpoint, RunCalibration.of(path, checkpoint));
        }

        Path checkpoint() {
            if (MppModel.isCheckpoint(path)) {
                return path;
            }
            CheckpointStore.Checkpoint best = bests().latest();
            if (best == null) {
                if (Files.isRegularFile(path.resolve(BEST).resolve("latest"))) {
                    throw new InvalidDataException(path.resolve(BEST)
                            + ": every checkpoint in it is damaged; train again with another --run-dir");
                }
                throw new UnavailableException(path + ": holds no trained perceiver (neither " + MppModel.DESCRIPTION
                        + " nor a complete checkpoint in " + BEST + "/); make one with `prpf gate train --run-dir "
                        + path
                        + "`");
            }
            return best.directory();
        }

        @Override
        void copyWeights(Path folder) throws IOException {
            Path checkpoint = checkpoint();
            Path bests = folder.resolve(BEST);
            AtomicFiles.copyTree(checkpoint, bests.resolve(checkpoint.getFileName()));
            AtomicFiles.writeText(bests.resolve("latest"), checkpoint.getFileName() + "\n");
        }

        @Override
        List<Path> weights() {
            return MppModel.weights(checkpoint());
        }

        @Override
        public Perceiver perceiver(SampleEncoders encoders, ScenarioCatalog catalog) {
            return perceiver(
                    List.of(this), models -> new MppPerceiver("gate", models, sample -> 0, encoders.first(), catalog));
        }

        static Perceiver perceiver(List<Single> runs, Function<List<MppModel>, Perceiver> of) {
            List<MppModel> models = new ArrayList<>();
            try {
                runs.forEach(run -> models.add(run.model()));
                return of.apply(models);
            } catch (RuntimeException e) {
                models.forEach(MppModel::close);
                throw e;
            }
        }
    }

    /** A training over seeds: the plan {@code seeds.json}, and a {@link Single} for each of its runs. */
    public static final class Seeds extends MppRun {
        static final String PLAN = "seeds.json";

        public Seeds(Path path) {
            super(path);
        }

        /** Writes the training's plan. */
        public void write(SeedPlan plan) {
            write(PLAN, plan);
        }

        /** @throws PrpfException 69 if there is no plan, 65 if it is damaged */
        @Override
        public SeedPlan plan() {
            return record(PLAN, "plan of seeds", SeedPlan.class);
        }

        @Override
        public void requireFinished() {
            for (TrainedRun one : runs()) {
                if (!one.has(Split.DEV)) {
                    throw new UnavailableException(one.perceptionsFile(Split.DEV)
                            + ": does not exist: the training over seeds is not finished; resume it with `prpf gate train"
                            + " --run-dir "
                            + path + " --seeds …` and its first options");
                }
            }
        }

        @Override
        TrainedRun one() {
            throw new UnavailableException(
                    path + ": holds the runs of several seeds; name one of them, such as " + runs().get(0).path);
        }
    }

    /** A training over folds: the plan {@code folds.jsonl}, and a {@link Single} for each fold, trained on the other folds. */
    public static final class Folds extends MppRun {
        static final String PLAN = "folds.jsonl";
        private static final RecordLines<FoldPlan.Entry> LINES = new RecordLines<>(FoldPlan.Entry.class, "fold entry");

        public Folds(Path path) {
            super(path);
        }

        /** Writes the training's plan. */
        public void write(FoldPlan plan) {
            LINES.write(path.resolve(PLAN), plan.entries());
        }

        /** @throws PrpfException 65, naming file and line, if the plan is damaged */
        public FoldPlan folds() {
            return new FoldPlan(lines(LINES, path.resolve(PLAN)));
        }

        /** Returns the run of the perceiver that did not see a fold. */
        public Single fold(int fold) {
            return new Single(path.resolve("fold_" + fold));
        }

        private List<Single> runs(FoldPlan plan) {
            return IntStream.range(0, plan.folds()).mapToObj(this::fold).toList();
        }

        @Override
        public String sha256() {
            StringBuilder sums = new StringBuilder(AtomicFiles.sha256(path.resolve(PLAN)));
            runs(folds()).forEach(run -> sums.append('\n').append(run.sha256()));
            return AtomicFiles.sha256(sums.toString().getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public Perceiver perceiverForTraining(SampleEncoders encoders, ScenarioCatalog catalog) {
            FoldPlan plan = folds();
            String kind = "gate of " + plan.folds() + " folds";
            return Single.perceiver(
                    runs(plan), models -> new MppPerceiver(kind, models, plan::foldOf, encoders.first(), catalog));
        }

        @Override
        TrainedRun one() {
            throw new UnavailableException(
                    path + ": holds the perceivers of folds, which are for the records they were trained on (data"
                            + " sft-set, reasoner sft, data rollout-set); a perceiver of all data is needed: `prpf gate train`"
                            + " without --folds");
        }
    }
}
