package dev.prpf.par.bench;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import dev.prpf.par.engine.AttentionShape;
import dev.prpf.par.engine.DecoderConfig;
import dev.prpf.par.engine.DecoderFamily;
import dev.prpf.par.engine.SpecialTokens;
import java.util.List;
import java.util.Locale;

/** Decoders known by name whose speed can be measured without their weights. */
public final class KnownShape {
    private static final String SMOLLM2_135M = "135m";

    private KnownShape() {}

    /**
     * The shape of that name, in any case: {@code 135m} is SmolLM2-135M's {@code config.json}.
     *
     * @throws PrpfException 2 if there is none
     */
    public static DecoderConfig of(String label) {
        if (!label.toLowerCase(Locale.ROOT).equals(SMOLLM2_135M)) {
            throw new UsageException("--shape = " + label + ", must be one of " + SMOLLM2_135M);
        }
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
}
