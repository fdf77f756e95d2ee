package dev.prpf.mpp.bench;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.run.ProcessMemory;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleFeatures;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.network.Device;
import dev.prpf.mpp.network.definition.FeatureBatch;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.network.definition.NetworkSummary;
import dev.prpf.mpp.network.graph.PerceiverInputs;
import dev.prpf.mpp.network.host.HostEngine;
import dev.prpf.mpp.network.host.HostStream;
import dev.prpf.mpp.network.host.ParameterStore;
import dev.prpf.mpp.perceive.MppDescription;
import dev.prpf.mpp.perceive.MppModel;
import dev.prpf.mpp.training.MppConfig;
import dev.prpf.mpp.training.MppTraining;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.dataset.MultiDataSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The whole benchmark of a configuration's perceiver, part after part. */
public final class PerceiverBench {
    private static final Logger LOG = LoggerFactory.getLogger(PerceiverBench.class);
    private static final int[] BATCHES = {8, 64, 256};
    private static final int[] FRAME_TOKENS = {64, 128, 250, 256};
    private static final int[] HISTORIES = {10, 100, 1_000, 10_000};
    private static final int HISTORY_WARM_UP = 2_000;
    private static final int HISTORY_RUNS = 200;
    private static final int PERCEIVER_WARM_UP = 200;
    private static final int TRAINING_WARM_UP = 12;
    /** Small batches need more unmeasured steps, or what is measured is the compiler at work on the other core. */
    private static final int TRAINING_WARM_UP_SAMPLES = 2048;

    private final MppConfig config;
    private final NetworkShape shape;
    private final List<Path> images;
    private final double seconds;

    /**
     * @param scenarios scenario outputs
     * @param images screenshots for the rows with the frame encoder; none leaves them out
     * @param seconds measured for each number
     * @throws PrpfException 78 for an unlimited trajectory; 69 or 65 for an encoder that is missing or cannot be used
     */
    public PerceiverBench(MppConfig config, int scenarios, List<Path> images, double seconds) {
        this.config = config;
        this.shape = config.network().shape(DecisionBench.withEncoder(config, true, SampleEncoder::width), scenarios);
        if (shape.window().maxSteps() == NetworkShape.UNLIMITED) {
            throw new InvalidConfigurationException(
                    "network.max-steps = null: what an unlimited trajectory costs is no one number; measure"
                            + " a length with --set network.max-steps=N");
        }
        this.images = List.copyOf(images);
        this.seconds = seconds;
    }

    public BenchResult run() {
        try (MppModel model = made()) {
            LOG.info("memory");
            ProcessMemory.Measured<ParameterStore> network = ProcessMemory.peakOf(() -> streaming(model));
            BenchResult.Memory memory = new BenchResult.Memory(
                    encoderMemory(encoder -> encoder.encodeTexts(List.of(new MadeInputs(1).text(64)))),
                    images.isEmpty() ? null : encoderMemory(encoder -> encoder.encodeImages(images)),
                    megabytes(network.peakBytes()));
            List<BenchResult.Training> training =
                    IntStream.of(BATCHES).mapToObj(this::training).toList();
            LOG.info("perceiver only");
            List<BenchResult.PerceiverOnly> only = perceiverOnly(model, network.result());
            List<BenchResult.History> history = history(network.result());
            LOG.info("decisions");
            List<BenchResult.Decision> decisions = decisions(model, network.result());
            int parameters = model.network().parameters().length();
            int cores = Runtime.getRuntime().availableProcessors();
            return new BenchResult(
                    Device.current().label(), cores, parameters, training, only, decisions, history, memory);
        }
    }

    private MppModel made() {
        List<String> scenarios =
                IntStream.range(0, shape.scenarios()).mapToObj(i -> "s" + i).toList();
        MppDescription description = new MppDescription(shape, config.loss(), scenarios, "made", "made");
        return new MppModel(
                description,
                new HostEngine(ParameterStore.initial(shape, config.seed())),
                new ProbabilityCalibration.None());
    }

    private ParameterStore streaming(MppModel model) {
        ParameterStore network = model.network().parameters();
        newScreenshot(new MadeInputs(3).session(network, shape.window().maxSteps()))
                .run();
        return network;
    }

    private @Nullable Double encoderMemory(Function<SampleEncoder, ?> work) {
        return megabytes(ProcessMemory.peakOf(() -> DecisionBench.withEncoder(config, true, work))
                .peakBytes());
    }

    private static @Nullable Double megabytes(@Nullable Long bytes) {
        return bytes == null ? null : bytes / 1e6;
    }

    private BenchResult.Training training(int batch) {
        LOG.info("training at batch {}", batch);
        ProcessMemory.Measured<Timing> measured = ProcessMemory.peakOf(() -> steps(batch));
        Timing step = measured.result();
        double gflop = 3 * NetworkSummary.of(shape, shape.window().maxSteps()).flops() / 1e9;
        return new BenchResult.Training(
                batch, batch / step.median() * 1e3, step, gflop, megabytes(measured.peakBytes()));
    }

    private Timing steps(int batch) {
        FeatureBatch features = FeatureBatch.of(
                new MadeInputs(config.seed()).samples(batch, shape.window().maxSteps(), shape), shape);
        ComputationGraph graph = MppTraining.graph(MppTraining.Settings.of(config, shape.width(), shape.scenarios()));
        MultiDataSet set = new PerceiverInputs(shape, DataType.FLOAT).labelled(features);
        return Timing.measure(
                Math.max(TRAINING_WARM_UP, TRAINING_WARM_UP_SAMPLES / batch), seconds, () -> graph.fit(set));
    }

    private List<BenchResult.PerceiverOnly> perceiverOnly(MppModel model, ParameterStore network) {
        List<BenchResult.PerceiverOnly> rows = new ArrayList<>();
        Runnable frame =
                newScreenshot(new MadeInputs(3).session(network, shape.window().maxSteps()));
        rows.add(new BenchResult.PerceiverOnly(
                "streaming, 1 new frame", 1, timed(frame), DecisionBench.streamingGflop(shape)));
        for (int batch : new int[] {1, 64}) {
            List<SampleFeatures> samples =
                    new MadeInputs(2).samples(batch, shape.window().maxSteps(), shape);
            double gflop =
                    batch * NetworkSummary.of(shape, shape.window().maxSteps()).flops() / 1e9;
            rows.add(new BenchResult.PerceiverOnly("batch path", batch, timed(() -> model.perceive(samples)), gflop));
        }
        return rows;
    }

    private Timing timed(Runnable work) {
        return Timing.measure(PERCEIVER_WARM_UP, seconds, work);
    }

    private Runnable newScreenshot(HostStream session) {
        float[] vector = new MadeInputs(4).vector(shape.width());
        return () -> {
            session.step(vector, true);
            session.answer();
        };
    }

    /** Measures a new frame of one stream after each number of frames in {@link #HISTORIES}. */
    private List<BenchResult.History> history(ParameterStore network) {
        HostStream session = new MadeInputs(1).session(network, 0);
        Runnable frame = newScreenshot(session);
        List<BenchResult.History> rows = new ArrayList<>();
        Timing.measure(HISTORY_WARM_UP, 0, newScreenshot(new MadeInputs(1).session(network, 0)));
        for (int frames : HISTORIES) {
            while (session.steps() < frames) {
                frame.run();
            }
            LongStream nanos = LongStream.generate(() -> Timing.nanos(frame)).limit(HISTORY_RUNS);
            rows.add(new BenchResult.History(frames, Timing.of(nanos).median() * 1e3));
        }
        return rows;
    }

    private List<BenchResult.Decision> decisions(MppModel model, ParameterStore network) {
        DecisionBench bench = new DecisionBench(config, shape, seconds, new MadeInputs(config.seed()));
        List<BenchResult.Decision> rows = new ArrayList<>(List.of(bench.cold(model)));
        IntStream.of(FRAME_TOKENS).forEach(tokens -> rows.add(bench.streaming(network, tokens)));
        if (!images.isEmpty()) {
            ScreenshotBench screenshots = new ScreenshotBench(config, shape, new MadeInputs(config.seed()), images);
            rows.add(screenshots.cold(model));
            rows.add(screenshots.streaming(network));
        }
        return rows;
    }
}
