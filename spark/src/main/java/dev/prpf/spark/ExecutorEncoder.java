package dev.prpf.spark;

import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.ImageEncoderChoice;
import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.LongText;
import dev.prpf.data.encode.spec.Precision;
import dev.prpf.data.encode.text.OnnxTextEncoder;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkEnv;

/** Text encoders of this process, shared by all tasks of the executor; each is loaded once, with its first text. */
final class ExecutorEncoder {
    private static final Map<Choice, OnnxTextEncoder> LOADED = new HashMap<>();

    private ExecutorEncoder() {}

    /**
     * A text encoder and how to run it.
     *
     * @param name of the text encoder, see {@link EncoderSettings#textEncoder}
     * @param threads of an executor; 0 for its cores
     */
    record Choice(String name, Precision precision, LongText longText, int threads) implements Serializable {
        /** @throws dev.prpf.base.error.PrpfException 69 if one of its files is missing on this machine */
        EncoderSpec spec() {
            return new EncoderSettings(name, precision, longText, ImageEncoderChoice.DEFAULT, 1, Path.of(""), null)
                    .textEncoderSpec();
        }

        String id() {
            return spec().idOf(precision, longText);
        }

        private OnnxTextEncoder open() {
            int used = threads > 0 ? threads : cores();
            return new OnnxTextEncoder(spec(), new OnnxTextEncoder.Running(precision, longText, used, false));
        }
    }

    /** Returns the cores of this executor; the machine may have more. */
    static int cores() {
        int processors = Runtime.getRuntime().availableProcessors();
        return Math.min(processors, SparkEnv.get().conf().getInt("spark.executor.cores", processors));
    }

    /** Returns the encoder, which stays open until the process ends. */
    static synchronized OnnxTextEncoder of(Choice choice) {
        return LOADED.computeIfAbsent(choice, Choice::open);
    }
}
