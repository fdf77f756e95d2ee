package dev.prpf.data.command;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.data.encode.spec.ShippedEncoders;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The mixin with {@code --text-encoder}, {@code --int8} and {@code --long-text}. */
public final class TextEncoderOptions {
    @Option(
            names = "--text-encoder",
            paramLabel = "NAME",
            description = {
                "bge-small-zh-v1.5 (default); bge-small-en-v1.5, with --int8; that without --int8, e5-small-v2 or "
                        + "all-minilm-l6-v2, built in with PRPF_PROFILE=cpu,encoders;",
                "dir:PATH: your own model, see docs/ENCODERS.md."
            })
    private String name = ShippedEncoders.DEFAULT;

    @Option(names = "--int8", description = "8-bit weights of a BGE encoder: faster, cosine to 32-bit about 0.99.")
    private boolean int8;

    @Option(
            names = "--long-text",
            paramLabel = "RULE",
            defaultValue = "mean-of-windows",
            description =
                    "For texts beyond the encoder's tokens: truncate or mean-of-windows (default: ${DEFAULT-VALUE}).")
    private String longText = "mean-of-windows";

    /**
     * Returns the settings of encoders with this text encoder.
     *
     * @throws PrpfException 2 for an invalid setting, or options that contradict each other
     */
    public EncoderSettings settings(String imageEncoder, int threads, Path store, @Nullable Path images) {
        List<String> quantised = ShippedEncoders.TEXT.stream()
                .filter(spec -> spec.weights().size() > 1)
                .map(EncoderSpec::id)
                .toList();
        if (int8 && !quantised.contains(name)) {
            throw new UsageException("--int8 goes with the encoders that have 8-bit weights: --text-encoder "
                    + String.join(" or ", quantised));
        }
        LongText rule = Arrays.stream(LongText.values())
                .filter(one -> one.label().equals(longText.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() ->
                        new UsageException("--long-text = " + longText + ", must be truncate or mean-of-windows"));
        EncoderPrecision precision = int8 ? EncoderPrecision.INT8 : EncoderPrecision.FP32;
        try {
            return new EncoderSettings(name, precision, rule, imageEncoder, threads, store, images);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--" + e.getMessage());
        }
    }
}
