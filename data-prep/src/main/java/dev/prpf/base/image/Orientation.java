package dev.prpf.base.image;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.plugins.tiff.BaselineTIFFTagSet;
import javax.imageio.plugins.tiff.TIFFDirectory;
import javax.imageio.plugins.tiff.TIFFField;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;

/**
 * How a camera held what it stored, EXIF's tag 274: what turns the stored pixels upright, as Pillow's {@code ImageOps.exif_transpose} does.
 *
 * @param swapped whether rows become columns
 * @param leftRight whether the stored rows run from right to left
 * @param topBottom whether the stored rows lie from bottom to top
 */
record Orientation(boolean swapped, boolean leftRight, boolean topBottom) {
    static final Orientation UPRIGHT = new Orientation(false, false, false);

    /** Of the tag's value; upright where it is none of 1 to 8. */
    static Orientation of(int tag) {
        return tag < 2 || tag > 8
                ? UPRIGHT
                : new Orientation(
                        tag >= 5,
                        tag == 2 || tag == 3 || tag == 7 || tag == 8,
                        tag == 3 || tag == 4 || tag == 6 || tag == 7);
    }

    /**
     * That of an EXIF block, which is a TIFF file without pixels; a damaged one says nothing.
     *
     * @param tiff from its byte order on
     */
    static Orientation ofExif(byte[] tiff) {
        ImageReader reader = ImageIO.getImageReadersByFormatName("tiff").next();
        try (ImageInputStream in = new MemoryCacheImageInputStream(new ByteArrayInputStream(tiff))) {
            reader.setInput(in);
            TIFFField field = TIFFDirectory.createFromMetadata(reader.getImageMetadata(0))
                    .getTIFFField(BaselineTIFFTagSet.TAG_ORIENTATION);
            return field == null ? UPRIGHT : of(field.getAsInt(0));
        } catch (IOException | RuntimeException e) {
            return UPRIGHT;
        } finally {
            reader.dispose();
        }
    }

    /** Stored pixels as they are shown. */
    Pixels upright(Pixels stored) {
        if (equals(UPRIGHT)) {
            return stored;
        }
        int width = swapped ? stored.height() : stored.width();
        int height = swapped ? stored.width() : stored.height();
        int[] rgb = new int[width * height];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                int column = swapped ? y : x;
                int row = swapped ? x : y;
                rgb[y * width + x] = stored.rgb()[
                        (topBottom ? stored.height() - 1 - row : row) * stored.width()
                                + (leftRight ? stored.width() - 1 - column : column)];
            }
        }
        return new Pixels(width, height, rgb);
    }
}
