package dev.prpf.data.encode;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which frozen encoder sees the screenshots, as configurations and command lines write it: {@code ocr}, {@code clip:PATH} or
 * {@code both:PATH}.
 *
 * @param kind what is seen of a picture
 * @param clip for {@link Kind#CLIP} and {@link Kind#BOTH}: a Hugging Face directory or an ONNX file with a CLIP vision tower
 */
public record FrameEncoderChoice(Kind kind, @Nullable Path clip) {
    /** The choice where nothing is said. */
    public static final String DEFAULT = "ocr";

    /** What is seen of a picture. */
    public enum Kind {
        /** The text that can be read on it, encoded as a text. */
        OCR,
        /** CLIP's image embedding (PRPF section 4.1). */
        CLIP,
        /** The two, each of length 1, one behind the other. */
        BOTH
    }

    /** @throws IllegalArgumentException saying what is allowed */
    public static FrameEncoderChoice parse(String text) {
        if (text.equals(DEFAULT)) {
            return new FrameEncoderChoice(Kind.OCR, null);
        }
        int colon = text.indexOf(':');
        Kind kind = colon < 0 ? null : kind(text.substring(0, colon));
        if (kind == null || colon == text.length() - 1) {
            throw new IllegalArgumentException("frame-encoder = " + text
                    + ", must be ocr, clip:PATH or both:PATH (PATH: a Hugging Face directory or an ONNX file)");
        }
        try {
            return new FrameEncoderChoice(kind, Path.of(text.substring(colon + 1)));
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("frame-encoder = " + text + ": no path: " + e.getReason(), e);
        }
    }

    private static @Nullable Kind kind(String name) {
        for (Kind kind : new Kind[] {Kind.CLIP, Kind.BOTH}) {
            if (kind.name().toLowerCase(Locale.ROOT).equals(name)) {
                return kind;
            }
        }
        return null;
    }
}
