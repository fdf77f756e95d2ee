package dev.prpf.data.encode.ocr;

import dev.prpf.data.encode.image.Raster;

/**
 * The size at which the detector sees a picture.
 *
 * @param longSide longer side to aim at, in pixels
 * @param maxUpscale small pictures are not enlarged by more
 */
record DetectionScale(int longSide, double maxUpscale) {
    static final DetectionScale DEFAULT = new DetectionScale(1216, 1);

    /** A side's length in the detector's input: scaled and rounded to a multiple of 32, as the network needs. */
    int side(int length, Raster picture) {
        double factor = Math.min(maxUpscale, (double) longSide / Math.max(picture.width(), picture.height()));
        return Math.max(32, (int) Math.round(length * factor / 32) * 32);
    }
}
