package dev.prpf.par.serve.cascade;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.EncoderSettings.ContextUnit;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleEncoders;
import dev.prpf.data.encode.store.EmbeddingStore.StorePlace;
import dev.prpf.data.encode.store.EmbeddingStore.Tenant;
import dev.prpf.data.encode.text.OnnxTextEncoder;
import dev.prpf.data.encode.text.TextEncoder;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perceiver.PerceptionCost;
import dev.prpf.mpp.perceive.MppPerceiver;
import dev.prpf.mpp.perceive.StreamingPerceiver;
import dev.prpf.mpp.training.TrainedRun;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.FairGate;
import dev.prpf.par.serve.http.ServerMetrics;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The perceiver with its own queue. It scores samples one after the other on their requests' threads, each on all cores. Two at once would each take
 * twice as long, with unknown cost. API keys take turns. Images and long texts are encoded before, outside of the perceiver's turns. The service does
 * not wait for generations. Frozen encoders' outputs are kept in bounded memory, per API key. Thread-safe.
 */
public final class PerceiverService implements AutoCloseable {
    /** Longest wait of {@link #close} for the sample in progress. */
    public static final Duration LONGEST_END = Duration.ofSeconds(30);

    private static final Duration SOON = Duration.ofSeconds(1);
    private static final FairGate.Refusals REFUSALS = new FairGate.Refusals(
            () -> ApiException.timeout("the sample's turn with the perceiver did not come within the request's time"),
            waiting -> ApiException.overloaded(
                    SOON, waiting + " samples wait for the perceiver, there is no room for more; try again later"));
    private static final DeviceContext BLANK = new DeviceContext("", "", "");

    private final Parts parts;
    private final Duration patience;
    private final FairGate samples;
    private final ImageTurns images;
    private final FairGate texts;
    private final boolean share;
    private final Timer timer;
    private volatile boolean closed;

    /**
     * Models of the service.
     *
     * @param perceiver null if samples go straight to the reasoner
     * @param stream an empty session, the template of all others; null if the perceiver has none
     * @param encoders the perceiver's; the first also reads the texts of screenshots
     */
    public record Parts(@Nullable Perceiver perceiver, @Nullable StreamingPerceiver stream, SampleEncoders encoders) {
        void close() {
            try {
                if (perceiver != null) {
                    perceiver.close();
                }
            } finally {
                encoders.close();
            }
        }
    }

    /** Takes ownership of the parts. */
    public PerceiverService(Parts parts, CascadeSettings settings, ServerMetrics metrics) {
        this.parts = parts;
        patience = Duration.ofSeconds(settings.requestTimeout());
        samples = new FairGate(FairGate.Limits.single(settings.queue(), patience), REFUSALS);
        images = new ImageTurns(parts.encoders(), settings, metrics);
        texts = new FairGate(FairGate.Limits.single(settings.queue(), patience), REFUSALS);
        share = settings.shareEncodings();
        MeterRegistry registry = metrics.registry();
        timer = Timer.builder("prpf.perceiver.seconds")
                .serviceLevelObjectives(ServerMetrics.buckets())
                .register(registry);
        Gauge.builder("prpf.perceiver.waiting", samples, FairGate::waiting).register(registry);
    }

    /** Returns the encoder of a perceiver's run, or the default one for null. */
    public static EncoderSettings encoder(@Nullable TrainedRun run) {
        Path none = Path.of("");
        return run == null ? EncoderSettings.untrained(none, null) : run.encoder(none, null);
    }

    /**
     * Loads a trained perceiver with its encoders, and scores one sample as a warm-up.
     *
     * @param run null to reason only; screenshots are read all the same
     * @throws PrpfException as {@link TrainedRun#perceiver}
     */
    public static PerceiverService open(
            @Nullable TrainedRun run, ScenarioCatalog catalog, CascadeSettings settings, ServerMetrics metrics) {
        StorePlace.Memory memory = new StorePlace.Memory(settings.encodingBytes());
        SampleEncoders encoders =
                new SampleEncoders(encoder(run), wanted -> SampleEncoder.openInMemory(wanted, memory));
        Perceiver perceiver = null;
        try {
            encoders.countEarly();
            perceiver = run == null ? null : run.perceiver(encoders, catalog);
            PerceiverService service = new PerceiverService(
                    new Parts(perceiver, StreamingPerceiver.of(perceiver), encoders), settings, metrics);
            service.warmUp();
            return service;
        } catch (RuntimeException e) {
            new Parts(perceiver, null, encoders).close();
            throw e;
        }
    }

    private void warmUp() {
        if (parts.perceiver() != null) {
            perceive(new Sample("warm-up", 1, null, null, BLANK, Trajectory.BLANK, null));
        }
    }

    int waiting() {
        return samples.waiting();
    }

    public boolean perceives() {
        return parts.perceiver() != null;
    }

    /** Returns the perceiver, or throws 503. */
    private Perceiver perceiver() {
        Perceiver perceiver = parts.perceiver();
        if (perceiver == null) {
            throw noPerceiver();
        }
        return perceiver;
    }

    static ApiException noPerceiver() {
        return ApiException.unavailable(null, "no perceiver was loaded: start the server with --gate RUN");
    }

    /** Calls {@link #perceive(Client, Sample)} for the server itself. */
    public Perceiver.Costed perceive(Sample sample) {
        return perceive(Client.SERVER, sample);
    }

    /**
     * Scores one sample with the perceiver.
     *
     * @throws ApiException 429 if too many wait, 503 without a perceiver or once closed, 504 if its turn did not come in time
     * @throws InvalidDataException for an image that cannot be decoded
     */
    Perceiver.Costed perceive(Client client, Sample sample) {
        Perceiver perceiver = perceiver();
        Sample moment = readable(sample);
        Client limited = limited(client);
        EncodingCost ahead = encodeAhead(limited, moment);
        Perceiver.Costed perceived = perceiving(
                limited, () -> perceiver.perceiveCosted(List.of(moment)).get(0));
        PerceptionCost cost = perceived.cost();
        if (cost == null) {
            return perceived;
        }
        EncodingCost own = perceiver instanceof MppPerceiver ? cost.encoding().times(0, 1) : cost.encoding();
        return new Perceiver.Costed(
                perceived.perception(), new PerceptionCost(ahead.plus(own), cost.fusionFlops(), cost.fusionSeconds()));
    }

    /** Limits the total waiting time of a request, over all turns of its sample. */
    Client limited(Client client) {
        return client.within(patience, REFUSALS.late());
    }

    private String tenant(Client client) {
        return share ? "" : client.caller();
    }

    /**
     * Encodes the missing parts of a sample before its turn with the network, on the calling thread. Long texts take turns of some hundredths of a
     * second, so that samples of short texts do not wait for them.
     *
     * @throws ApiException as {@link #perceive}
     * @throws InvalidDataException for an image that cannot be decoded
     */
    EncodingCost encodeAhead(Client client, Sample moment) {
        EncodingCost cost = seeImages(client, moment, false);
        if (!(parts.perceiver() instanceof MppPerceiver one)) {
            return cost;
        }
        SampleEncoder encoder = one.encoder();
        ContextUnit unit = one.models().get(0).description().shape().contextUnit();
        List<String> missing = Tenant.as(tenant(client), () -> encoder.missingTexts(moment, unit));
        if (missing.stream().mapToInt(String::length).sum() <= TextEncoder.PART) {
            return cost;
        }
        List<EncodingCost> parts = new ArrayList<>(List.of(cost));
        Tenant.as(tenant(client), () -> {
            encoder.encodeTexts(
                    missing,
                    part -> parts.add(texts.turn(client.caller(), client.waiting(), () -> {
                        EncodingCost before = encoder.costOfParts();
                        part.run();
                        return encoder.costOfParts().since(before);
                    })));
            return parts;
        });
        return parts.stream().reduce(EncodingCost.NONE, EncodingCost::plus);
    }

    /**
     * Decodes a sample's images and recognizes their text on the calling thread.
     *
     * @param reading whether the texts on the images are needed
     * @throws InvalidDataException for an image that cannot be decoded
     */
    EncodingCost seeImages(Client client, Sample moment, boolean reading) {
        return images.see(client, tenant(client), moment.trajectory().screenshots(), reading);
    }

    /** Returns the sample with a blank step if none of its trajectory may be read. */
    static Sample readable(Sample sample) {
        return sample.with(sample.context(), sample.trajectory().orBlank(), sample.answers());
    }

    /** Recognizes the texts of the screenshots that a prompt shows as text; returns the cost. Errors as in {@link #seeImages}. */
    EncodingCost readTexts(Client client, PromptRenderer renderer, Sample sample) {
        return renderer.settings().screenshots().showsImages()
                ? EncodingCost.NONE
                : seeImages(client, renderer.shown(sample), true);
    }

    /**
     * Returns the perceiver's text encoder, for texts outside of samples. It needs no turn; its cost is not counted and its output is not kept. It
     * works until this service is closed.
     */
    public OnnxTextEncoder textEncoder() {
        return parts.encoders().first().sharedTextEncoder();
    }

    PerceivedStream newStream() {
        perceiver();
        return new PerceivedStream(this, parts.stream());
    }

    /** Returns the texts of screenshots by the first encoder. Call within {@link #run}, after {@link #seeImages}. */
    ScreenTexts screens() {
        return parts.encoders().first()::screenText;
    }

    /**
     * Runs work for a sample in its turn at the perceiver, one sample at a time. Rethrows its failure unchanged.
     *
     * @param client also polled once before
     * @throws InvalidDataException for an image that cannot be decoded
     */
    <T> T run(Client client, Supplier<T> work) {
        return samples.turn(client.caller(), client.waiting(), () -> {
            if (closed) {
                throw ApiException.unavailable(null, "the perceiver has stopped");
            }
            return Tenant.as(tenant(client), () -> ImageFolder.with(client.images(), work));
        });
    }

    /** Calls {@link #run} for the network, with a timer. */
    <T> T perceiving(Client client, Supplier<T> work) {
        return run(client, () -> timer.record(work));
    }

    /** Waits for the work in progress, then closes perceiver and encoders; they stay open if it does not end. */
    @Override
    public void close() {
        closed = true;
        Client server = Client.SERVER.within(LONGEST_END, REFUSALS.late());
        try {
            samples.turn(server.caller(), server.waiting(), () -> closed);
        } catch (ApiException e) {
            return;
        }
        parts.close();
    }
}
