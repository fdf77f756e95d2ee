package dev.prpf.par.serve.cascade;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory;
import dev.prpf.data.encode.ContextUnit;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.EncodingCost;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleEncoders;
import dev.prpf.data.encode.store.StorePlace;
import dev.prpf.data.encode.store.Tenant;
import dev.prpf.data.encode.text.OnnxTextEncoder;
import dev.prpf.data.encode.text.TextEncoder;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.PerceptionCost;
import dev.prpf.mpp.perceive.MppPerceiver;
import dev.prpf.mpp.perceive.StreamingPerceiver;
import dev.prpf.mpp.run.MppRun;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.serve.http.ApiException;
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
 * The perceiver with a queue of its own. One thread perceives moments one after the other, each on all cores: two at once would each take
 * twice as long, and would not know what it cost. API keys take turns; a long moment takes several. Images are decoded and read on the threads of
 * their requests, before the perceiver's turn. It waits for no generation. What frozen encoders made is kept in memory, bounded, of each API key
 * apart. For any number of threads.
 */
public final class PerceiverService implements AutoCloseable {
    /** Closing waits that long for the moment under way. */
    public static final Duration LONGEST_END = PerceiverThread.LONGEST_END;

    private static final DeviceContext BLANK = new DeviceContext("", "", "");

    private final Parts parts;
    private final Duration patience;
    private final PerceiverThread thread;
    private final ImageTurns images;
    private final boolean share;
    private final Timer timer;

    /**
     * Models of the service.
     *
     * @param perceiver null if samples go straight to the reasoner
     * @param stream an empty session that all others are copied from; null if the perceiver has none
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

    /** Closes the parts with it. */
    public PerceiverService(Parts parts, CascadeSettings settings, ServerMetrics metrics) {
        this.parts = parts;
        patience = Duration.ofSeconds(settings.requestTimeout());
        thread = new PerceiverThread(settings.queue(), patience, System::nanoTime);
        images = new ImageTurns(parts.encoders(), settings, metrics);
        share = settings.shareEncodings();
        MeterRegistry registry = metrics.registry();
        timer = Timer.builder("prpf.perceiver.seconds")
                .serviceLevelObjectives(ServerMetrics.buckets())
                .register(registry);
        Gauge.builder("prpf.perceiver.waiting", thread, PerceiverThread::waiting)
                .register(registry);
    }

    /** The encoder of a perceiver's run, or the default one where there is none. */
    public static EncoderSettings encoder(@Nullable MppRun run) {
        Path none = Path.of("");
        return run == null ? EncoderSettings.untrained(none, null) : run.encoder(none, null);
    }

    /**
     * Loads a trained perceiver with its encoders, and lets it perceive once so that no request waits for that.
     *
     * @param run null to reason only; screenshots are read all the same
     * @throws PrpfException as {@link MppRun#perceiver}
     */
    public static PerceiverService open(
            @Nullable MppRun run, ScenarioCatalog catalog, CascadeSettings settings, ServerMetrics metrics) {
        StorePlace.Memory memory = new StorePlace.Memory(settings.encodingBytes());
        SampleEncoders encoders =
                new SampleEncoders(encoder(run), wanted -> SampleEncoder.openInMemory(wanted, memory));
        Perceiver perceiver = null;
        try {
            encoders.countEarly();
            perceiver = run == null ? null : run.perceiver(encoders, catalog);
            PerceiverService service =
                    new PerceiverService(new Parts(perceiver, stream(perceiver, catalog), encoders), settings, metrics);
            service.warmUp();
            return service;
        } catch (RuntimeException e) {
            new Parts(perceiver, null, encoders).close();
            throw e;
        }
    }

    /** A session where one network sees all; of an ensemble each moment is perceived whole. */
    private static @Nullable StreamingPerceiver stream(@Nullable Perceiver perceiver, ScenarioCatalog catalog) {
        return perceiver instanceof MppPerceiver one && one.models().size() == 1
                ? new StreamingPerceiver(one.models().get(0), one.encoder(), catalog)
                : null;
    }

    private void warmUp() {
        if (parts.perceiver() != null) {
            perceive(new Sample("warm-up", 1, null, null, BLANK, Trajectory.BLANK, null));
        }
    }

    /** Returns the number of waiting samples. */
    int waiting() {
        return thread.waiting();
    }

    /** Returns whether the service has a perceiver. */
    public boolean perceives() {
        return parts.perceiver() != null;
    }

    /** A perceiver, or the refusal. */
    private Perceiver perceiver() {
        Perceiver perceiver = parts.perceiver();
        if (perceiver == null) {
            throw noPerceiver();
        }
        return perceiver;
    }

    static ApiException noPerceiver() {
        return ApiException.unavailable(null, "no perceiver was loaded: start the server with --mpp RUN");
    }

    /** {@link #perceive(Client, Sample)} for the server itself. */
    public Perceiver.Costed perceive(Sample sample) {
        return perceive(Client.SERVER, sample);
    }

    /**
     * Perceives a moment.
     *
     * @throws ApiException 429 if too many wait, 503 without a perceiver or once this is closed, 504 if its turn did not come in time
     * @throws UnreadablePicture for a picture that cannot be decoded
     */
    Perceiver.Costed perceive(Client client, Sample sample) {
        Perceiver perceiver = perceiver();
        Sample moment = readable(sample);
        Client limited = limited(client);
        EncodingCost ahead = encodeAhead(limited, moment);
        Perceiver.Costed perceived = perceiving(
                limited, sample, () -> perceiver.perceiveCosted(List.of(moment)).get(0));
        PerceptionCost cost = perceived.cost();
        if (cost == null) {
            return perceived;
        }
        EncodingCost own = perceiver instanceof MppPerceiver ? cost.encoding().times(0, 1) : cost.encoding();
        return new Perceiver.Costed(
                perceived.perception(), new PerceptionCost(ahead.plus(own), cost.fusionFlops(), cost.fusionSeconds()));
    }

    /** Limits the waits of a request, for all turns of its moment together, to the request's time. */
    Client limited(Client client) {
        return client.within(patience, PerceiverThread::tooLate);
    }

    private String tenant(Client client) {
        return share ? "" : client.caller();
    }

    /**
     * Encodes the missing parts of a sample before its turn with the network: images on the calling thread, texts in turns of some hundredths of a second.
     *
     * @return what it cost
     * @throws ApiException as {@link #perceive}
     * @throws UnreadablePicture for a picture that cannot be decoded
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
                    part -> parts.add(run(client, moment, () -> {
                        EncodingCost before = encoder.cost();
                        part.run();
                        return encoder.cost().since(before).times(0, 1);
                    })));
            return parts;
        });
        return parts.stream().reduce(EncodingCost.NONE, EncodingCost::plus);
    }

    /**
     * Decodes a sample's images and recognizes their text on the calling thread.
     *
     * @param reading whether the texts on the images are needed
     * @return what it cost
     * @throws UnreadablePicture for a picture that cannot be decoded
     */
    EncodingCost seeImages(Client client, Sample moment, boolean reading) {
        try {
            return images.see(client, tenant(client), moment.trajectory().screenshots(), reading);
        } catch (InvalidDataException e) {
            throw UnreadablePicture.of(moment, e);
        }
    }

    /** Returns the sample with a blank text if nothing of its trajectory may be read. */
    static Sample readable(Sample sample) {
        return sample.with(sample.context(), sample.trajectory().orBlank(), sample.answers());
    }

    /**
     * The text encoder of the perceiver, for texts of no moment: it needs no turn, and what it does is counted for no moment and kept nowhere.
     * It works until this is closed.
     */
    public OnnxTextEncoder textEncoder() {
        return parts.encoders().first().sharedTextEncoder();
    }

    /** A new session's perceiver. */
    PerceivedStream newStream() {
        perceiver();
        return new PerceivedStream(this, parts.stream());
    }

    /** Returns the texts of screenshots by the first encoder. Call within {@link #run}, after {@link #seeImages}. */
    ScreenTexts screens() {
        return parts.encoders().first()::screenText;
    }

    /**
     * Does something with a moment on the perceiver's thread and waits for it; its failure is thrown as it was.
     *
     * @param client whose waiting is also run before
     * @throws UnreadablePicture for a picture that cannot be decoded
     */
    <T> T run(Client client, Sample sample, Supplier<T> work) {
        client.waiting().run();
        return thread.run(client, () -> {
            try {
                return Tenant.as(tenant(client), work);
            } catch (InvalidDataException e) {
                throw UnreadablePicture.of(sample, e);
            }
        });
    }

    /** {@link #run} of the network. */
    <T> T perceiving(Client client, Sample sample, Supplier<T> work) {
        return run(client, sample, () -> timer.record(work));
    }

    /** Ends what is under way, then closes perceiver and encoders. */
    @Override
    public void close() {
        if (thread.close()) { // else it is still at work: the parts must stay open
            parts.close();
        }
    }
}
