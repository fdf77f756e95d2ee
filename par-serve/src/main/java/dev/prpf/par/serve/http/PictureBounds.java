package dev.prpf.par.serve.http;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.image.DataUrl;

/**
 * What a picture of a request must keep to. No path and no address is opened, and nothing is decoded before its header was looked at.
 *
 * @param maxPixels of a picture
 * @param maxPictures of a request
 */
public record PictureBounds(long maxPixels, int maxPictures) {
    static PictureBounds of(HttpSettings settings) {
        return new PictureBounds(settings.maxPixels(), settings.maxPictures());
    }

    /**
     * Refuses a picture that is no data URL, no picture, or too large.
     *
     * @param place that brought it
     * @throws ApiException 400 or 413, naming the place
     */
    public void require(String place, String url) {
        if (!DataUrl.is(url)) {
            throw ApiException.invalid(
                    place,
                    place + " must be the picture itself as a data URL (data:image/png;base64,…): paths and addresses"
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
     * Refuses more pictures than a request may hold.
     *
     * @param place that brought them
     * @throws ApiException 413, naming the place
     */
    public void requireFew(String place, int pictures) {
        if (pictures > maxPictures) {
            throw ApiException.tooLarge(
                    place, place + " has " + pictures + " pictures, at most " + maxPictures + " are read");
        }
    }
}
