package dev.prpf.data.encode;

import dev.prpf.base.error.Closing;
import dev.prpf.data.encode.image.ImageEncoderProvider;
import dev.prpf.data.encode.image.ImageEncoderProvider.ImageTower;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.ImageKeys;
import dev.prpf.data.encode.image.OnnxImageEncoder;
import dev.prpf.data.encode.image.TowerFamily;
import dev.prpf.data.encode.store.EmbeddingStore;
import dev.prpf.data.encode.store.EmbeddingStore.StorePlace;
import dev.prpf.data.encode.text.TextEncoder;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.apache.commons.lang3.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * The choice of a screenshot encoder in configurations and options: {@code ocr}, {@code clip:PATH}, {@code siglip:PATH},
 * {@code tower:PATH}, {@code both:PATH} or {@code vision:DIR}.
 *
 * @param kind the part before the colon
 * @param path the vision encoder's path; empty for {@code ocr}
 */
public record ImageEncoderChoice(String kind, Path path) {
    /** The default: the text on a screenshot, encoded as a text. */
    public static final String DEFAULT = "ocr";

    private static final String VISION = "vision";
    private static final Pattern FORM =
            Pattern.compile(DEFAULT + "|(clip|siglip|tower|both|" + VISION + "):.+", Pattern.DOTALL);

    record Parts(
            EncoderSettings settings,
            StorePlace stores,
            TextEncoder textEncoder,
            StoredEncodings<String, float[]> texts,
            StoredEncodings<ImageFile, String> screens,
            ImageKeys keys) {
        private ImageEncoder read() {
            return ImageEncoder.ofText(textEncoder, screens, texts);
        }

        private ImageEncoder seen(Path place, @Nullable TowerFamily family) {
            return seen(OnnxImageEncoder.open(place, family, settings.threads()));
        }

        private ImageEncoder seen(ImageTower tower) {
            return Closing.ifRefused(tower, opened -> {
                int together = OnnxImageEncoder.BATCH * settings.threads();
                return ImageEncoder.ofTower(
                        tower,
                        new StoredEncodings<>(
                                EmbeddingStore.ofVectors(stores, tower.id(), tower.width()),
                                keys::of,
                                list -> StoredEncodings.pieces(list, image -> 1, together),
                                list -> Arrays.asList(tower.encode(list))));
            });
        }
    }

    /** @throws IllegalArgumentException naming the allowed choices */
    public static ImageEncoderChoice parse(String text) {
        if (!FORM.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "frame-encoder = " + text + ", must be ocr, clip:PATH, siglip:PATH,"
                            + " tower:PATH, both:PATH (PATH: a Hugging Face directory or an ONNX file), vision:DIR (a reasoner's directory)");
        }
        try {
            return new ImageEncoderChoice(
                    StringUtils.substringBefore(text, ":"), Path.of(StringUtils.substringAfter(text, ":")));
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("frame-encoder = " + text + ": not a path: " + e.getReason(), e);
        }
    }

    /** Opens the encoder; a vision encoder's weights are loaded with the first image. */
    ImageEncoder open(Parts parts) {
        return switch (kind) {
            case "clip" -> parts.seen(path, TowerFamily.CLIP);
            case "siglip" -> parts.seen(path, TowerFamily.SIGLIP);
            case "tower" -> parts.seen(path, null);
            case VISION ->
                parts.seen(ImageEncoderProvider.of(kind)
                        .open(path, parts.settings().threads()));
            case "both" ->
                ImageEncoder.both(parts.read(), parts.seen(path, Files.isDirectory(path) ? null : TowerFamily.CLIP));
            default -> parts.read();
        };
    }
}
