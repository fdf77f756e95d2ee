package dev.prpf.par.openai;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.image.EncodedImage.ImageFormat;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.image.ImageBudget;
import dev.prpf.data.encode.image.ImageFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An image of a request. It is not kept in memory, but read when the request is identified and when it is sent.
 *
 * @param image its file or content
 * @param maxTokens maximum by {@link ImageBudget}; null to send the image unscaled
 */
public record SentImage(ImageFile image, @Nullable Integer maxTokens) {
    public SentImage {
        Rule.require(maxTokens == null || maxTokens > 0, "max-visual-tokens", maxTokens, "at least 1 or null");
    }

    /** Returns the identity of the sent image: the SHA-256 of its file, and the budget. */
    String key() {
        String content = AtomicFiles.sha256(bytes());
        return maxTokens == null ? content : content + ":" + maxTokens;
    }

    /**
     * Returns the image as a data URL. A PNG or JPEG within the budget is checked by decoding and sent unchanged. Other images are sent as
     * PNG, scaled down to the budget. EXIF rotation is applied, since servers may ignore it.
     *
     * @throws PrpfException 65, naming the image, if it is missing, not an image, too large, or cannot be decoded
     */
    String url() {
        byte[] bytes = bytes();
        ImageFormat format = ImageFormat.of(bytes);
        Pixels.Size size = image.size();
        Pixels.Size fitting = fitting(size);
        boolean common = format == ImageFormat.PNG || format == ImageFormat.JPEG;
        boolean unchanged = common && fitting.equals(size) && image.upright();
        Pixels decoded = image.read();
        byte[] sent = unchanged ? bytes : ImageBudget.png(decoded, fitting);
        return "data:image/" + (unchanged ? format : ImageFormat.PNG) + ";base64,"
                + Base64.getEncoder().encodeToString(sent);
    }

    private Pixels.Size fitting(Pixels.Size size) {
        try {
            return ImageBudget.fitting(size, maxTokens);
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
