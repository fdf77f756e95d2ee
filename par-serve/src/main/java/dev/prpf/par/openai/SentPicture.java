package dev.prpf.par.openai;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.image.ImageFormat;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.data.encode.image.PictureBudget;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A picture of a request. Nothing of it is kept in memory: it is read when the request is named and when it is sent.
 *
 * @param image where its pixels are
 * @param maxTokens that it may take, as {@link PictureBudget} counts; null for the picture as it is
 */
public record SentPicture(ImageFile image, @Nullable Integer maxTokens) {
    public SentPicture {
        Rule.require(maxTokens == null || maxTokens > 0, "max-visual-tokens", maxTokens, "at least 1 or null");
    }

    /** Names what is sent: the SHA-256 of the picture's file, and the budget. */
    String key() {
        String content = AtomicFiles.sha256(bytes());
        return maxTokens == null ? content : content + ":" + maxTokens;
    }

    /**
     * The picture as a data URL: a PNG or JPEG within the budget as it is, once it was decoded; anything else as PNG, scaled down to the budget.
     * One that is stored turned is sent upright, whether the server heeds EXIF or not.
     *
     * @throws PrpfException 65, naming the picture, if it is missing, no picture, too large, or cannot be decoded
     */
    String url() {
        byte[] bytes = bytes();
        ImageFormat format = ImageFormat.of(bytes);
        Pixels.Size size = image.size();
        Pixels.Size fitting = fitting(size);
        boolean common = format == ImageFormat.PNG || format == ImageFormat.JPEG;
        boolean asItIs = common && fitting.equals(size) && image.upright();
        Pixels decoded = image.read();
        byte[] sent = asItIs ? bytes : PictureBudget.png(decoded, fitting);
        return "data:image/" + (asItIs ? format : ImageFormat.PNG) + ";base64,"
                + Base64.getEncoder().encodeToString(sent);
    }

    private Pixels.Size fitting(Pixels.Size size) {
        try {
            return PictureBudget.fitting(size, maxTokens);
        } catch (InvalidDataException e) {
            throw e.at(image.toString());
        }
    }

    private byte[] bytes() {
        image.requirePresent();
        if (image.content() != null) {
            return image.content().bytes();
        }
        Path file = Objects.requireNonNull(image.file());
        return IoFailure.whileReading(file, () -> Files.readAllBytes(file));
    }
}
