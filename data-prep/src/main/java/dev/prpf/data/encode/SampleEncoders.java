package dev.prpf.data.encode;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Encoders with the same store and image root, opened on first use and closed together. A perceiver may use several, which only
 * its run names.
 */
public final class SampleEncoders implements AutoCloseable {
    private final EncoderSettings settings;
    private final Function<EncoderSettings, SampleEncoder> opener;
    private final Map<EncoderSettings, SampleEncoder> opened = new LinkedHashMap<>();
    private boolean counting;

    /**
     * Creates the encoders; none is opened yet.
     *
     * @param settings of the first encoder, with store and image root of all
     * @param opener opens an encoder, for example {@link SampleEncoder#open(EncoderSettings)}
     */
    public SampleEncoders(EncoderSettings settings, Function<EncoderSettings, SampleEncoder> opener) {
        this.settings = settings;
        this.opener = opener;
    }

    /** Returns the settings of the first encoder, with store and image root of all. */
    public EncoderSettings settings() {
        return settings;
    }

    /** Returns the first encoder, which also reads texts of screenshots. */
    public SampleEncoder first() {
        return of(settings);
    }

    /** Returns the encoder of settings, with the first encoder's store and image root; equal settings share one. */
    public synchronized SampleEncoder of(EncoderSettings wanted) {
        return opened.computeIfAbsent(wanted.with(settings.store(), settings.images()), unseen -> {
            SampleEncoder encoder = opener.apply(unseen);
            if (counting) {
                encoder.countEarly();
            }
            return encoder;
        });
    }

    /** Calls {@link SampleEncoder#countEarly()} for all encoders, also for those opened later. */
    public void countEarly() {
        counting = true;
        opened.values().forEach(SampleEncoder::countEarly);
    }

    /** Returns the total cost of all encoders; see {@link SampleEncoder#cost()}. */
    public EncodingCost cost() {
        return opened.values().stream().map(SampleEncoder::cost).reduce(EncodingCost.NONE, EncodingCost::plus);
    }

    /** Returns the total {@link SampleEncoder#reused()} of all encoders. */
    public long reused() {
        return opened.values().stream().mapToLong(SampleEncoder::reused).sum();
    }

    @Override
    public void close() {
        opened.values().forEach(SampleEncoder::close);
    }
}
