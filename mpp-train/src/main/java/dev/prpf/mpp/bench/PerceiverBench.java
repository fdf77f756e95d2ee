package dev.prpf.mpp.bench;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.error.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.run.ProcessMemory;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.TemporaryStore;
import dev.prpf.mpp.MppConfig;
import dev.prpf.mpp.MppDescription;
import dev.prpf.mpp.MppModel;
import dev.prpf.mpp.calibration.ProbabilityCalibration;
import dev.prpf.mpp.network.MppNetwork;
import dev.prpf.mpp.network.definition.NetworkFlops;
import dev.prpf.mpp.network.definition.NetworkShape;
import dev.prpf.mpp.streaming.StreamingNetwork;
import dev.prpf.mpp.streaming.StreamingSession;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The whole benchmark of a configuration's perceiver, part after part. */
public final class PerceiverBench {
    private static final Logger LOG = LoggerFactory.getLogger(PerceiverBench.class);
    private static final String MEASURED = "ocr";
    private static final int[] BATCHES = {8, 64, 256};
    private static final int[] FRAME_TOKENS = {64, 128, 250, 256};
    private static final int[] HISTORIES = {10, 100, 1_000, 10_000};
    private static final int PERCEIVER_WARM_UP = 200;

    private final MppConfig config;
    private final NetworkShape shape;
    private final List<Path> pictures;
    private final double seconds;

    /**
     * @param width floats of an encoder's vector
     * @param scenarios scenario outputs
     * @param pictures screenshots for the row with text recognition; none leaves it out
     * @param seconds measured a figure
     * @throws PrpfException 78 for an unlimited trajectory or another frame encoder than {@code ocr}
     */
    public PerceiverBench(MppConfig config, int width, int scenarios, List<Path> pictures, double seconds) {
        if (!(seconds > 0)) {
            throw new IllegalArgumentException("seconds = " + seconds + ", must be above 0");
        }
        String frames = config.encoder().frameEncoder();
        if (!frames.equals(MEASURED)) {
            throw new InvalidConfigurationException(
                    "encoder.frame-encoder = " + frames + ": the bench measures frames whose text is"
                            + " recognised and encoded; set encoder.frame-encoder=" + MEASURED);
        }
        this.config = config;
        this.shape = config.network().shape(width, scenarios);
        if (shape.maxSteps() == NetworkShape.UNLIMITED) {
            throw new InvalidConfigurationException(
                    "network.max-steps = null: what an unlimited trajectory costs has no one figure; measure"
                            + " a length with --set network.max-steps=N");
        }
        this.pictures = List.copyOf(pictures);
        this.seconds = seconds;
    }

    /**
     * All figures.
     *
     * @param device where the training graph ran
     * @param cores of this machine
     * @param parameters trainable values
     * @param training by batch size
     * @param perceiverOnly the network without encoders
     * @param decisions with encoders
     * @param history a new frame's fusion by length of history
     * @param memory resident memory by part
     */
    public record Figures(
            String device,
            int cores,
            int parameters,
            List<TrainingSpeed> training,
            @JsonProperty("perceiver_only") List<PerceiverOnly> perceiverOnly,
            List<DecisionSpeed> decisions,
            List<HistorySpeed> history,
            @JsonProperty("peak_mb") Memory memory) {}

    /**
     * The network without encoders.
     *
     * @param what which path
     * @param batch samples at once
     * @param time of one call
     * @param gflop of one call
     */
    public record PerceiverOnly(String what, int batch, Timing time, double gflop) {}

    /**
     * Megabytes (10⁶ bytes) that a part added while it was loaded and used; null where the system does not say.
     *
     * @param textEncoder a frame of 64 tokens
     * @param frameEncoder screenshots; null without any
     * @param fusion the streaming network
     */
    public record Memory(
            @JsonProperty("text_encoder") @Nullable Double textEncoder,
            @JsonProperty("frame_encoder") @Nullable Double frameEncoder,
            @Nullable Double fusion) {}

    public Figures run() {
        try (MppModel model = made()) {
            LOG.info("memory");
            ProcessMemory.Measured<StreamingNetwork> network = ProcessMemory.peakOf(() -> streaming(model));
            Memory memory = new Memory(
                    encoderMemory(encoder -> encoder.encodeTexts(List.of(new MadeInputs(1).text(64)))),
                    pictures.isEmpty() ? null : encoderMemory(encoder -> pictures.forEach(encoder::screenText)),
                    megabytes(network.peakBytes()));
            List<TrainingSpeed> training = new ArrayList<>();
            for (int batch : BATCHES) {
                LOG.info("training at batch {}", batch);
                training.add(TrainingSpeed.measure(config, shape, batch, seconds));
            }
            LOG.info("perceiver only");
            List<PerceiverOnly> only = perceiverOnly(model, network.result());
            List<HistorySpeed> history = HistorySpeed.measure(network.result(), HISTORIES);
            LOG.info("decisions");
            List<DecisionSpeed> decisions = decisions(model, network.result());
            int parameters = model.parameters().values().stream()
                    .mapToInt(array -> array.values().length)
                    .sum();
            int cores = Runtime.getRuntime().availableProcessors();
            return new Figures(MppNetwork.device(), cores, parameters, training, only, decisions, history, memory);
        }
    }

    private MppModel made() {
        List<String> scenarios =
                IntStream.range(0, shape.scenarios()).mapToObj(i -> "s" + i).toList();
        MppDescription description = new MppDescription(shape, config.loss(), scenarios, "made", "made");
        return new MppModel(
                description, new MppNetwork(shape, config.loss(), config.seed()), new ProbabilityCalibration.None());
    }

    private StreamingNetwork streaming(MppModel model) {
        StreamingNetwork network = new StreamingNetwork(shape, model.parameters());
        newFrame(session(network)).run();
        return network;
    }

    private @Nullable Double encoderMemory(Consumer<SampleEncoder> work) {
        return megabytes(ProcessMemory.peakOf(() -> {
                    try (TemporaryStore store = TemporaryStore.unless(null);
                            SampleEncoder encoder =
                                    SampleEncoder.openForStream(config.encoder().settings(store.path(), null))) {
                        work.accept(encoder);
                        return true;
                    }
                })
                .peakBytes());
    }

    static @Nullable Double megabytes(@Nullable Long bytes) {
        return bytes == null ? null : bytes / 1e6;
    }

    private List<PerceiverOnly> perceiverOnly(MppModel model, StreamingNetwork network) {
        NetworkFlops flops = new NetworkFlops(shape);
        List<PerceiverOnly> rows = new ArrayList<>();
        double step = (flops.step() + flops.answer(shape.maxSteps())) / 1e9;
        rows.add(new PerceiverOnly("streaming, 1 new frame", 1, timed(newFrame(session(network))), step));
        for (int batch : new int[] {1, 64}) {
            var samples = new MadeInputs(2).samples(batch, shape.maxSteps(), shape);
            double gflop = batch * flops.batch(shape.maxSteps()) / 1e9;
            rows.add(new PerceiverOnly("batch path", batch, timed(() -> model.perceive(samples)), gflop));
        }
        return rows;
    }

    private Timing timed(Runnable work) {
        return Timing.measure(PERCEIVER_WARM_UP, seconds, work);
    }

    private StreamingSession session(StreamingNetwork network) {
        MadeInputs inputs = new MadeInputs(3);
        StreamingSession session = new StreamingSession(network);
        for (int place = 0; place < NetworkShape.CONTEXT; place++) {
            session.context(place, inputs.contextText(shape));
        }
        for (int i = 0; i < shape.maxSteps(); i++) {
            session.step(inputs.vector(shape.width()), true);
        }
        return session;
    }

    private Runnable newFrame(StreamingSession session) {
        float[] vector = new MadeInputs(4).vector(shape.width());
        return () -> {
            session.step(vector, true);
            session.answer();
        };
    }

    private List<DecisionSpeed> decisions(MppModel model, StreamingNetwork network) {
        DecisionBench bench = new DecisionBench(config, shape, seconds);
        List<DecisionSpeed> rows = new ArrayList<>();
        rows.add(bench.cold(model));
        for (int tokens : FRAME_TOKENS) {
            rows.add(bench.streaming(network, tokens));
        }
        if (!pictures.isEmpty()) {
            rows.add(bench.screens(network, pictures));
        }
        return rows;
    }
}
