package dev.prpf.base.image;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The orientation of stored pixels, EXIF tag 274, applied like Pillow's {@code ImageOps.exif_transpose}.
 *
 * @param swapped whether rows become columns
 * @param leftRight whether the stored rows run from right to left
 * @param topBottom whether the stored rows lie from bottom to top
 */
record Orientation(boolean swapped, boolean leftRight, boolean topBottom) {
    static final Orientation UPRIGHT = new Orientation(false, false, false);

    private static final int TAG = 274;
    private static final int SHORT = 3;
    private static final int LONG = 4;
    private static final int HEAD = 8; // byte order, 42, the directory's offset
    private static final int ENTRY = 12; // tag, type, count, value

    /** Returns the orientation for a tag value; upright unless it is 1 to 8. */
    static Orientation of(int tag) {
        return tag < 2 || tag > 8
                ? UPRIGHT
                : new Orientation(
                        tag >= 5,
                        tag == 2 || tag == 3 || tag == 7 || tag == 8,
                        tag == 3 || tag == 4 || tag == 6 || tag == 7);
    }

    /**
     * Returns the orientation in an EXIF block, a TIFF file without pixels. Only the entry of the first directory is read. A
     * damaged entry counts as upright.
     *
     * @param tiff the block, starting at its byte order
     */
    static Orientation ofExif(byte[] tiff) {
        boolean little = tiff.length >= HEAD && tiff[0] == 'I' && tiff[1] == 'I';
        boolean big = tiff.length >= HEAD && tiff[0] == 'M' && tiff[1] == 'M';
        if (!little && !big) {
            return UPRIGHT;
        }
        ByteBuffer block = ByteBuffer.wrap(tiff).order(little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        long directory = Integer.toUnsignedLong(block.getInt(HEAD - Integer.BYTES));
        long first = directory + Short.BYTES;
        if (first > tiff.length) {
            return UPRIGHT;
        }
        long end = Math.min(tiff.length, first + ENTRY * (block.getShort((int) directory) & 0xFFFFL));
        for (int at = (int) first; at + ENTRY <= end; at += ENTRY) {
            int type = block.getShort(at + 2);
            if (block.getShort(at) == TAG && (type == SHORT || type == LONG) && block.getInt(at + 4) == 1) {
                return of(type == SHORT ? block.getShort(at + 8) : block.getInt(at + 8));
            }
        }
        return UPRIGHT;
    }

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
