package dev.prpf.data.encode;

import dev.prpf.data.encode.image.ImageEncoder;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.ImageKeys;
import dev.prpf.data.encode.image.OnnxImageEncoder;
import dev.prpf.data.encode.image.TowerFamily;
import dev.prpf.data.encode.ocr.ScreenReader;
import dev.prpf.data.encode.store.EmbeddingStore;
import dev.prpf.data.encode.text.TextEncoder;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which frozen encoder sees the screenshots, as configurations and command lines write it: {@code ocr}, {@code clip:PATH},
 * {@code siglip:PATH}, {@code tower:PATH} or {@code both:PATH}. A new kind of encoder is one more entry of {@link #KINDS}.
 */
public final class ImageEncoderChoice {
    /** The choice where nothing is said: the text that can be read on a screenshot, encoded as a text. */
    public static final String DEFAULT = "ocr";

    private static final List<Kind> KINDS = List.of(
            new Kind(DEFAULT, false, (parts, path) -> parts.read()),
            new Kind("clip", true, (parts, path) -> parts.seen(path, TowerFamily.CLIP)),
            new Kind("siglip", true, (parts, path) -> parts.seen(path, TowerFamily.SIGLIP)),
            new Kind("tower", true, (parts, path) -> parts.seen(path, null)),
            new Kind("both", true, (parts, path) -> {
                TowerFamily family = Files.isDirectory(path) ? null : TowerFamily.CLIP;
                return new ConcatenatedImageEncoder(List.of(parts.read(), parts.seen(path, family)));
            }));

    private final Kind kind;
    private final Path path;

    private ImageEncoderChoice(Kind kind, Path path) {
        this.kind = kind;
        this.path = path;
    }

    /** One kind of encoder: its name, whether a path follows, and how it is opened. */
    private record Kind(String name, boolean takesPath, Opening opening) {
        String form() {
            return takesPath ? name + ":PATH" : name;
        }
    }

    private interface Opening {
        ImageEncoder open(Parts parts, Path path);
    }

    /** What image encoders are made of. */
    record Parts(
            EncoderSettings settings,
            TextEncoder textEncoder,
            StoredEncodings<String, float[]> texts,
            StoredEncodings<ImageFile, String> screens,
            ImageKeys keys) {
        private ImageEncoder read() {
            return new OcrImageEncoder(textEncoder, texts, screens);
        }

        private ImageEncoder seen(Path place, @Nullable TowerFamily family) {
            OnnxImageEncoder tower = OnnxImageEncoder.open(place, family, settings.threads());
            try {
                int together = OnnxImageEncoder.BATCH * settings.threads();
                return new StoredImageEncoder(
                        tower,
                        new StoredEncodings<>(
                                EmbeddingStore.ofVectors(settings.store(), tower.id(), tower.width()),
                                keys::of,
                                list -> StoredEncodings.pieces(list, image -> 1, together),
                                list -> Arrays.asList(tower.encode(list))));
            } catch (RuntimeException e) {
                tower.close();
                throw e;
            }
        }
    }

    /** @throws IllegalArgumentException saying what is allowed */
    public static ImageEncoderChoice parse(String text) {
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        String rest = colon < 0 ? "" : text.substring(colon + 1);
        Kind kind = KINDS.stream()
                .filter(one ->
                        one.name().equals(name) && one.takesPath() == (colon >= 0) && one.takesPath() != rest.isEmpty())
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("frame-encoder = " + text + ", must be "
                        + KINDS.stream().map(Kind::form).collect(Collectors.joining(", "))
                        + " (PATH: a Hugging Face directory or an ONNX file)"));
        try {
            return new ImageEncoderChoice(kind, Path.of(rest));
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("frame-encoder = " + text + ": no path: " + e.getReason(), e);
        }
    }

    /** Opens the encoder; a tower's weights are loaded with the first image. */
    ImageEncoder open(Parts parts) {
        return kind.opening().open(parts, path);
    }

    /**
     * A screenshot as the vector of the text that can be read on it: a {@link ScreenReader}, then the text encoder, both behind their
     * stores. It stands in for the CLIP tower of PRPF section 3.3, whose weights no Maven artefact carries. It owns nothing.
     */
    private record OcrImageEncoder(
            TextEncoder textEncoder, StoredEncodings<String, float[]> texts, StoredEncodings<ImageFile, String> screens)
            implements ImageEncoder {
        @Override
        public String id() {
            return ScreenReader.ID + "+" + textEncoder.id();
        }

        @Override
        public int width() {
            return textEncoder.width();
        }

        @Override
        public List<Supplier<float[]>> encodeLazily(List<ImageFile> images) {
            return texts.getLazily(screens.get(images));
        }

        @Override
        public void close() {}
    }

    /** A vision tower behind its store; it owns both. */
    private record StoredImageEncoder(OnnxImageEncoder tower, StoredEncodings<ImageFile, float[]> stored)
            implements ImageEncoder {
        @Override
        public String id() {
            return tower.id();
        }

        @Override
        public int width() {
            return tower.width();
        }

        @Override
        public long encoded() {
            return stored.encoded();
        }

        @Override
        public List<Supplier<float[]>> encodeLazily(List<ImageFile> images) {
            return stored.getLazily(images);
        }

        @Override
        public void close() {
            stored.close();
            tower.close();
        }
    }
}
