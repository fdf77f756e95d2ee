package dev.prpf.data.command;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.RunInterruptedException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.files.TemporaryFolder;
import dev.prpf.base.run.Progress;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.Sample;
import dev.prpf.data.command.FileEncoding.EmbeddingsFile;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.EncoderSettings.ContextUnit;
import dev.prpf.data.encode.ImageEncoderChoice;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.io.SampleReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code prpf data encode}: encodes samples, texts or images with the frozen encoders. */
@Command(
        name = "encode",
        description = {
            "Encode samples, texts or images with the frozen encoders.",
            "Stored encodings are never computed again; a killed run resumes."
        },
        footer = {
            "",
            "Examples:",
            "  ./prpf data encode --data train.json --images images --store embeddings",
            "  ./prpf data encode --data train.json --images images --store embeddings --sentences",
            "  ./prpf data encode --texts texts.json --int8 --out texts.safetensors",
            "  ./prpf data encode --image-paths images.json --frame-encoder ocr --out images.safetensors",
            "  ./prpf data encode --image-paths images.json --frame-encoder clip:clip-vit-base-patch32 --out"
                    + " p.safetensors"
        })
final class EncodeCommand implements Runnable {
    /** Images per thread between two checks of the stop signal. */
    private static final int IMAGES = 16;
    /** Maximum samples between two checks of the stop signal. */
    private static final int SAMPLES = 64;

    /** The input, exactly one of three kinds. */
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
                names = "--image-paths",
                required = true,
                paramLabel = "FILE",
                description = "A JSON array of paths, relative to --images or to the working directory.")
        private @Nullable Path images;
    }

    @ArgGroup(multiplicity = "1")
    private Input input = new Input();

    @Option(
            names = "--store",
            paramLabel = "DIR",
            description = "Folder of stored encodings; required with --data, else temporary by default.")
    private @Nullable Path store;

    @Option(names = "--images", paramLabel = "DIR", description = "Root of the images' paths.")
    private @Nullable Path images;

    @Option(names = "--out", paramLabel = "FILE", description = "The safetensors file for --texts and --image-paths.")
    private @Nullable Path out;

    @Mixin
    private TextEncoderOptions textEncoder = new TextEncoderOptions();

    @Option(
            names = "--frame-encoder",
            paramLabel = "NAME",
            defaultValue = "ocr",
            description = {
                "ocr: the text that can be read on the image, encoded as a text (default: ${DEFAULT-VALUE});",
                "clip:PATH, siglip:PATH, tower:PATH: a CLIP or SigLIP vision encoder, or either (a Hugging Face"
                        + " directory or an ONNX file);",
                "both:PATH: the text and a vision encoder in one vector;",
                "vision:DIR: the vision encoder of a reasoner, the mean of its merged patches."
            })
    private String frameEncoder = ImageEncoderChoice.DEFAULT;

    @Option(
            names = "--sentences",
            description = "With --data: each sentence of profile, phone and world, as a perceiver with "
                    + "network.context-sentences encodes them, instead of the whole texts.")
    private boolean sentences;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Texts or lines encoded at once (default: the number of cores).")
    private int threads = Runtime.getRuntime().availableProcessors();

    @Mixin
    private JsonOption output;

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        checkOptions();
        long start = System.nanoTime();
        Encoded encoded = input.data != null ? encodeData(input.data, start) : encodeToFile(start);
        output.print(encoded);
    }

    /** The command's result, with the count of the input's kind only. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Encoded(
            @Nullable Long samples,
            @Nullable Long texts,
            @Nullable Long images,
            String textEncoder,
            String frameEncoder,
            int width,
            long encodedNow,
            long imagesReadNow,
            @JsonProperty("longer_than_512_tokens") long truncated,
            @Nullable String out,
            double seconds) {}

    private void checkOptions() {
        settings(Path.of(""));
        require(
                input.data != null || !sentences,
                "--sentences goes with --data; --texts and --image-paths are encoded unchanged");
        require(
                input.texts == null || frameEncoder.equals(ImageEncoderChoice.DEFAULT),
                "--frame-encoder goes with --data and --image-paths; --texts has no images");
    }

    private void require(boolean holds, String rule) {
        if (!holds) {
            throw usage(rule);
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private EncoderSettings settings(Path directory) {
        return textEncoder.settings(frameEncoder, threads, directory, images);
    }

    private Encoded encodeData(Path file, long start) {
        if (store == null) {
            throw usage("--data needs --store DIR, the folder that the encodings are written to");
        }
        require(out == null, "--out goes with --texts and --image-paths; --data writes to --store");
        EncoderSettings settings = settings(store);
        long known = settings.requireImages(file); // also checks that the file can be read, before hours of work
        try (SampleEncoder encoder = SampleEncoder.open(settings);
                StopSignal stop = StopSignal.install();
                Progress progress = Progress.start("encode", known);
                SampleReader samples = SampleReader.open(file)) {
            long count = 0;
            while (samples.hasNext()) {
                List<Sample> chunk = next(samples);
                encoder.fill(chunk, sentences ? ContextUnit.SENTENCE : ContextUnit.TEXT);
                count += chunk.size();
                progress.stepBy(chunk.size());
                progress.note(encoder.imagesRead() + " images, " + encoder.encoded() + " texts now");
                if (stop.requested()) {
                    throw StopSignal.savedIn(count, store);
                }
            }
            return encoded(encoder, count, encoder.width(), start);
        }
    }

    private List<Sample> next(SampleReader samples) {
        List<Sample> chunk = new ArrayList<>();
        int steps = 0;
        while (chunk.size() < SAMPLES && steps < IMAGES * threads && samples.hasNext()) {
            Sample sample = samples.next();
            steps += sample.trajectory().screenshots().size();
            chunk.add(sample);
        }
        return chunk;
    }

    private Encoded encodeToFile(long start) {
        if (out == null) {
            throw usage("--texts and --image-paths need --out FILE, the safetensors file to be written");
        }
        boolean ofTexts = input.texts != null;
        Path file = Objects.requireNonNull(ofTexts ? input.texts : input.images, "one of three is given");
        List<String> contents = JsonFile.strings(file);
        AtomicFiles.requireWritable(out);
        try (TemporaryFolder temporary = store == null ? TemporaryFolder.open("prpf-store") : null;
                SampleEncoder encoder = SampleEncoder.open(
                        settings(temporary != null ? temporary.path() : Objects.requireNonNull(store)));
                StopSignal stop = StopSignal.install();
                Progress progress = Progress.start("encode", contents.size())) {
            FileEncoding encoding = ofTexts
                    ? FileEncoding.ofTexts(encoder, contents)
                    : FileEncoding.ofImages(encoder, contents, images, IMAGES * threads);
            EmbeddingsFile vectors = encoding.vectors();
            while (encoding.pieces().hasNext()) {
                float[][] piece = encoding.pieces().next();
                vectors.add(piece);
                progress.stepBy(piece.length);
                if (stop.requested()) {
                    throw stopped(vectors.size());
                }
            }
            vectors.write(out, encoding.further(), encoding.id());
            return encoded(encoder, contents.size(), vectors.width(), start);
        }
    }

    private PrpfException stopped(long done) {
        return store != null
                ? StopSignal.savedIn(done, store)
                : new RunInterruptedException("stopped by a signal after " + done
                        + " of them; nothing is saved without --store DIR: with it, the same command resumes");
    }

    private Encoded encoded(SampleEncoder encoder, long count, int width, long start) {
        return new Encoded(
                input.data == null ? null : count,
                input.texts == null ? null : count,
                input.images == null ? null : count,
                encoder.textEncoderId(),
                encoder.imageEncoderId(),
                width,
                encoder.encoded(),
                encoder.imagesRead(),
                encoder.truncated(),
                out == null ? null : out.toString(),
                Math.round((System.nanoTime() - start) / 1e7) / 100.0);
    }
}
