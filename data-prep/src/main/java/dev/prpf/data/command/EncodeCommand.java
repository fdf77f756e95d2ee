package dev.prpf.data.command;

import dev.prpf.data.Sample;
import dev.prpf.data.encode.EmbeddingsFile;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.LongText;
import dev.prpf.data.encode.Precision;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.StringArrayFile;
import dev.prpf.data.encode.TemporaryStore;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.run.ExitCode;
import dev.prpf.data.run.Progress;
import dev.prpf.data.run.PrpfException;
import dev.prpf.data.run.StopSignal;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code prpf data encode}: samples, texts or pictures through the frozen encoders. */
@Command(
        name = "encode",
        description = {
            "Turn samples, texts or pictures into vectors with the frozen encoders.",
            "What the store has is never encoded again; a killed run goes on where it was."
        },
        footer = {
            "",
            "Examples:",
            "  ./prpf data encode --data train.json --images pictures --store embeddings",
            "  ./prpf data encode --texts texts.json --int8 --out texts.safetensors",
            "  ./prpf data encode --pictures pictures.json --frame-encoder ocr --out pictures.safetensors"
        })
public final class EncodeCommand implements Callable<Integer> {
    /** Texts between two looks at the clock. */
    private static final int TEXTS = 256;
    /** Samples, some of them with several pictures, between two looks at the stop signal. */
    private static final int SAMPLES = 16;

    /** Exactly one of the three kinds of input. */
    static final class Input {
        @Option(
                names = "--data",
                required = true,
                paramLabel = "FILE",
                description = "Samples; fills the store, labels are not needed.")
        private @Nullable Path data;

        @Option(names = "--texts", required = true, paramLabel = "FILE", description = "A JSON array of strings.")
        private @Nullable Path texts;

        @Option(
                names = "--pictures",
                required = true,
                paramLabel = "FILE",
                description = "A JSON array of paths, relative to --images or to the working directory.")
        private @Nullable Path pictures;
    }

    @ArgGroup(multiplicity = "1")
    private Input input = new Input();

    @Option(
            names = "--store",
            paramLabel = "DIR",
            description = "Where encodings are kept; needed with --data, else only for the time of the run if absent.")
    private @Nullable Path store;

    @Option(names = "--images", paramLabel = "DIR", description = "Root of the pictures' paths.")
    private @Nullable Path images;

    @Option(names = "--out", paramLabel = "FILE", description = "The safetensors file for --texts and --pictures.")
    private @Nullable Path out;

    @Option(names = "--int8", description = "8-bit weights: faster, cosine to 32-bit about 0.99.")
    private boolean int8;

    @Option(
            names = "--long-text",
            paramLabel = "RULE",
            defaultValue = "mean-of-windows",
            description = "For texts beyond 512 tokens: truncate or mean-of-windows (default: ${DEFAULT-VALUE}).")
    private String longText = "mean-of-windows";

    @Option(
            names = "--frame-encoder",
            paramLabel = "NAME",
            defaultValue = "ocr",
            description =
                    "ocr: the text that can be read on the picture, encoded as a text (default: ${DEFAULT-VALUE}).")
    private String frameEncoder = "ocr";

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Texts or lines encoded at once (default: the number of cores).")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Option(names = "--json", description = "The result as JSON on stdout; all else on stderr.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        checkFrameEncoder();
        if (threads < 1) {
            throw usage("--threads = " + threads + ", must be at least 1");
        }
        long start = System.nanoTime();
        Map<String, Object> result = input.data != null ? encodeData(input.data) : encodeToFile();
        result.put("seconds", Math.round((System.nanoTime() - start) / 1e7) / 100.0);
        if (json) {
            ResultStream.json(result);
        } else {
            result.forEach((key, value) -> ResultStream.line(key.replace('_', ' ') + ": " + value));
        }
        return ExitCode.DONE.status();
    }

    private void checkFrameEncoder() {
        if (frameEncoder.startsWith("clip:")) {
            throw PrpfException.unavailable("--frame-encoder " + frameEncoder
                    + ": this version has no CLIP tower; --frame-encoder ocr encodes the text on a picture");
        }
        if (!frameEncoder.equals("ocr")) {
            throw usage("--frame-encoder = " + frameEncoder + ", must be ocr");
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private EncoderSettings settings(Path directory) {
        LongText rule =
                switch (longText.toLowerCase(Locale.ROOT)) {
                    case "truncate" -> LongText.TRUNCATE;
                    case "mean-of-windows" -> LongText.MEAN_OF_WINDOWS;
                    default -> throw usage("--long-text = " + longText + ", must be truncate or mean-of-windows");
                };
        return new EncoderSettings(int8 ? Precision.INT8 : Precision.FP32, rule, threads, directory, images);
    }

    private Map<String, Object> encodeData(Path file) {
        if (store == null) {
            throw usage("--data needs --store DIR, the folder that the encodings are written to");
        }
        if (out != null) {
            throw usage("--out goes with --texts and --pictures; --data writes to --store");
        }
        try (SampleEncoder encoder = SampleEncoder.open(settings(store));
                SampleReader samples = SampleReader.open(file);
                StopSignal stop = StopSignal.install();
                Progress progress = Progress.start("encode", -1)) {
            long count = 0;
            while (samples.hasNext()) {
                List<Sample> chunk = next(samples);
                encoder.fill(chunk);
                count += chunk.size();
                progress.stepBy(chunk.size());
                if (stop.requested()) {
                    throw StopSignal.checkpointed(count, store);
                }
            }
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("samples", count);
            result.putAll(facts(encoder));
            return result;
        }
    }

    private static List<Sample> next(SampleReader samples) {
        List<Sample> chunk = new ArrayList<>();
        while (chunk.size() < SAMPLES && samples.hasNext()) {
            chunk.add(samples.next());
        }
        return chunk;
    }

    private Map<String, Object> encodeToFile() {
        if (out == null) {
            throw usage("--texts and --pictures need --out FILE, the safetensors file to be written");
        }
        boolean ofTexts = input.texts != null;
        Path file = Objects.requireNonNull(ofTexts ? input.texts : input.pictures, "one of three is given");
        List<String> contents = StringArrayFile.read(file);
        EmbeddingsFile.checkTarget(out);
        try (TemporaryStore directory = TemporaryStore.unless(store);
                SampleEncoder encoder = SampleEncoder.open(settings(directory.path()));
                Progress progress = Progress.start("encode", contents.size())) {
            float[][] vectors = new float[contents.size()][];
            int step = ofTexts ? TEXTS : 1;
            for (int from = 0; from < vectors.length; from += step) {
                List<String> chunk = contents.subList(from, Math.min(vectors.length, from + step));
                float[][] rows = ofTexts ? encoder.encodeTexts(chunk) : encoder.encodePictures(paths(chunk));
                System.arraycopy(rows, 0, vectors, from, rows.length);
                progress.stepBy(rows.length);
            }
            String id = ofTexts ? encoder.textEncoderId() : encoder.frameEncoderId();
            EmbeddingsFile.write(out, vectors, encoder.width(), Map.of("encoder", id));
            Map<String, Object> result = new LinkedHashMap<>();
            result.put(ofTexts ? "texts" : "pictures", contents.size());
            result.putAll(facts(encoder));
            result.put("out", out.toString());
            return result;
        }
    }

    private List<Path> paths(List<String> names) {
        Path root = images == null ? Path.of("") : images;
        try {
            return names.stream().map(root::resolve).toList();
        } catch (InvalidPathException e) {
            throw PrpfException.badData("picture \"" + e.getInput() + "\" is no path: " + e.getReason());
        }
    }

    private static Map<String, Object> facts(SampleEncoder encoder) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("text_encoder", encoder.textEncoderId());
        facts.put("frame_encoder", encoder.frameEncoderId());
        facts.put("width", encoder.width());
        facts.put("encoded_now", encoder.encoded());
        facts.put("pictures_read_now", encoder.picturesRead());
        facts.put("longer_than_512_tokens", encoder.shortened());
        return facts;
    }
}
