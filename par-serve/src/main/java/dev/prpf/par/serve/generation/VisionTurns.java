package dev.prpf.par.serve.generation;

import dev.prpf.data.encode.EncodingCost;
import dev.prpf.data.encode.store.EmbeddingStore.Tenant;
import dev.prpf.par.serve.generation.GenerationService.ServiceSettings;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.FairGate;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.vision.VisionEncoder;
import dev.prpf.par.vision.VisualPrompt;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Lets one request at a time use the vision encoder. Two at once would each take twice as long, and twice the memory. Large images are decoded
 * before, at most one per core at a time. API keys take turns, and features are cached per key. Thread-safe.
 */
public final class VisionTurns {
    private static final Duration SOON = Duration.ofSeconds(2);

    private static final FairGate.Refusals REFUSALS = new FairGate.Refusals(
            () -> ApiException.timeout("the turn of the request's images did not come within the request's time"),
            waiting -> ApiException.overloaded(
                    SOON, waiting + " requests with images wait, there is no room for more; try again later"));

    /** Pixels of an image that may take longer to decode than to encode. */
    private static final long LARGE = 1_000_000;

    private final Duration patience;
    private final FairGate vision;
    private final FairGate decoding;

    VisionTurns(ServiceSettings settings, ServerMetrics metrics) {
        patience = Duration.ofSeconds(settings.requestTimeout());
        vision = new FairGate(FairGate.Limits.single(settings.queue(), patience), REFUSALS);
        decoding = FairGate.computing(metrics, patience, REFUSALS);
    }

    /**
     * Encodes the images of a prompt, within the longest wait for all its turns together. Images that the encoder lacks take a turn each, and are decoded
     * before.
     *
     * @param waiting throws if the client disconnected
     * @param work makes the encoded prompt in the last turn; receives the cost of images that were encoded before
     * @throws dev.prpf.base.error.PrpfException.InvalidDataException for an image that cannot be decoded
     * @throws ApiException as {@link #turn}
     */
    public <T> T see(
            String caller,
            Runnable waiting,
            VisionEncoder encoder,
            VisualPrompt prompt,
            Function<EncodingCost, T> work) {
        Runnable limited = limited(waiting);
        EncodingCost cost = EncodingCost.NONE;
        for (VisionImage image : prompt.images()) {
            if (Tenant.as(caller, () -> encoder.lacks(image))) {
                Supplier<EncodingCost> seeing = () -> seen(caller, limited, encoder, image);
                boolean large = image.image().size().pixels() >= LARGE;
                cost = cost.plus(large ? decoding.turn(caller, limited, seeing) : seeing.get());
            }
        }
        EncodingCost before = cost;
        return turn(caller, limited, () -> work.apply(before));
    }

    /** Adds a deadline, from now on, for all turns of a request together. */
    Runnable limited(Runnable waiting) {
        return FairGate.within(patience, waiting, REFUSALS.late());
    }

    private EncodingCost seen(String caller, Runnable waiting, VisionEncoder encoder, VisionImage image) {
        long start = System.nanoTime();
        VisionImage decoded = image.decoded(waiting);
        EncodingCost decoding = new EncodingCost(0, (System.nanoTime() - start) / 1e9, 0, 0);
        return turn(caller, waiting, () -> EncodingCost.Costed.of(
                                encoder::cost, () -> encoder.features(List.of(decoded)))
                        .cost())
                .plus(decoding);
    }

    /**
     * Waits for a turn, then works on the calling thread.
     *
     * @param waiting runs repeatedly during the wait and once before the work; throws if the client disconnected
     * @throws ApiException 429 without room, 503 if the server stops, 504 if its turn did not come in time; rethrows from work and waiting
     */
    <T> T turn(String caller, Runnable waiting, Supplier<T> work) {
        return vision.turn(caller, waiting, () -> Tenant.as(caller, work));
    }
}
