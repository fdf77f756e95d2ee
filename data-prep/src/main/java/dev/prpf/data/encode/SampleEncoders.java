package dev.prpf.data.encode;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Encoders over one store and one root of images, opened when they are first asked for and closed together: a perceiver may see with
 * several, and only its run knows which.
 */
public final class SampleEncoders implements AutoCloseable {
    private final EncoderSettings settings;
    private final Function<EncoderSettings, SampleEncoder> opener;
    private final Map<EncoderSettings, SampleEncoder> opened = new LinkedHashMap<>();
    private boolean counting;

    /**
     * Opens nothing yet.
     *
     * @param settings of the first encoder, and the places of all
     * @param opener such as {@link SampleEncoder#open(EncoderSettings)}
     */
    public SampleEncoders(EncoderSettings settings, Function<EncoderSettings, SampleEncoder> opener) {
        this.settings = settings;
        this.opener = opener;
    }

    /** Of the first encoder, with the places of all. */
    public EncoderSettings settings() {
        return settings;
    }

    /** The caller's own, which also reads the text of screenshots. */
    public SampleEncoder first() {
        return of(settings);
    }

    /** The encoder of these settings in the places of the first; equal settings share one. */
    public synchronized SampleEncoder of(EncoderSettings wanted) {
        return opened.computeIfAbsent(wanted.with(settings.store(), settings.images()), unseen -> {
            SampleEncoder encoder = opener.apply(unseen);
            if (counting) {
                encoder.countEarly();
            }
            return encoder;
        });
    }

    /** See {@link SampleEncoder#countEarly()}; of those opened later too. */
    public void countEarly() {
        counting = true;
        opened.values().forEach(SampleEncoder::countEarly);
    }

    /** Returns the total cost of all encoders; see {@link SampleEncoder#cost()}. */
    public EncodingCost cost() {
        return opened.values().stream().map(SampleEncoder::cost).reduce(EncodingCost.NONE, EncodingCost::plus);
    }

    /** See {@link SampleEncoder#reused()}; of all together. */
    public long reused() {
        return sum(SampleEncoder::reused);
    }

    /** See {@link SampleEncoder#encoded()}; of all together. */
    public long encoded() {
        return sum(SampleEncoder::encoded);
    }

    private long sum(ToLongFunction<SampleEncoder> count) {
        return opened.values().stream().mapToLong(count).sum();
    }

    @Override
    public void close() {
        opened.values().forEach(SampleEncoder::close);
    }
}
