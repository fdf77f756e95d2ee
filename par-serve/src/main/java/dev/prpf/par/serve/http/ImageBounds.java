package dev.prpf.par.serve.http;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.image.DataUrl;

/**
 * Bounds of a request's images. No path and no address is opened; the header is checked before decoding.
 *
 * @param maxPixels maximum pixels of an image
 * @param maxImages maximum number of a request's images
 */
public record ImageBounds(long maxPixels, int maxImages) {
    static ImageBounds of(HttpSettings settings) {
        return new ImageBounds(settings.maxPixels(), settings.maxImages());
    }

    /**
     * Refuses an image that is not a data URL, not an image, or too large.
     *
     * @param place path of its field
     * @throws ApiException 400 or 413, naming the field
     */
    public void require(String place, String url) {
        if (!DataUrl.is(url)) {
            throw ApiException.invalid(
                    place,
                    place + " must be the image itself as a data URL (data:image/png;base64,…): paths and addresses"
                            + " are not opened");
        }
        Pixels.Size size;
        try {
            size = Pixels.size(DataUrl.bytes(url));
        } catch (InvalidDataException e) {
            throw ApiException.invalid(place, place + ": " + e.getMessage());
        }
        if (size.pixels() > maxPixels) {
            throw ApiException.tooLarge(
                    place,
                    place + " has " + size.width() + " x " + size.height() + " pixels, at most " + maxPixels
                            + " are read");
        }
    }

    /**
     * Refuses more images than a request may hold.
     *
     * @param place path of their field
     * @throws ApiException 413, naming the field
     */
    public void requireFew(String place, int images) {
        if (images > maxImages) {
            throw ApiException.tooLarge(
                    place, place + " has " + images + " images, at most " + maxImages + " are read");
        }
    }
}
