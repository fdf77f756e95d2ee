package dev.prpf.par.bench;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderFamily;
import dev.prpf.par.engine.SpecialTokens;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Decoders known by name whose speed can be measured without their weights. */
public enum KnownShape {
    /** SmolLM2-135M's {@code config.json}. */
    SMOLLM2_135M("135m") {
        @Override
        public DecoderConfig config() {
            return new DecoderConfig(
                    DecoderFamily.LLAMA,
                    49_152,
                    576,
                    1536,
                    DecoderConfig.fullAttention(30),
                    AttentionShape.of(9, 3, 64, 100_000),
                    null,
                    8192,
                    1e-5,
                    true,
                    new SpecialTokens(1, List.of(2), 2));
        }
    };

    private final String label;

    KnownShape(String label) {
        this.label = label;
    }

    /** The shape of the model. */
    public abstract DecoderConfig config();

    /**
     * The shape of that name, in any case.
     *
     * @throws PrpfException 2 if there is none
     */
    public static KnownShape of(String label) {
        return Arrays.stream(values())
                .filter(shape -> shape.label.equals(label.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new UsageException("--shape = " + label + ", must be one of "
                        + Arrays.stream(values()).map(shape -> shape.label).collect(Collectors.joining(", "))));
    }
}
