package dev.prpf.data.encode.image;

import dev.prpf.base.image.Pixels;
import dev.prpf.data.encode.image.AntialiasedResize.Arithmetic;
import dev.prpf.data.encode.image.AntialiasedResize.Side;
import dev.prpf.data.encode.spec.ImagePreprocessing;

/** PIL's {@code Image.resize} and center crop, bit-identical. */
final class PilResize {
    private PilResize() {}

    /** Writes an image's preprocessed planes red, green, blue, shape (3, S, S), starting at {@code offset}. */
    static void write(Pixels image, ImagePreprocessing to, float[] target, int offset) {
        int side = to.side();
        int width = resized(image.width(), image.height(), to);
        int height = resized(image.height(), image.width(), to);
        AntialiasedResize columns = cut(image.width(), width, to);
        AntialiasedResize rows = cut(image.height(), height, to);
        byte[] square = resize(image, columns, rows, rowsFirst(image, width, height)); // (S, S, 3)
        int plane = side * side;
        for (int c = 0; c < 3; c++) {
            for (int at = 0; at < plane; at++) {
                double value = (square[at * 3 + c] & 255) / 255.0;
                target[offset + c * plane + at] =
                        (float) ((value - to.mean().get(c)) / to.std().get(c));
            }
        }
    }

    /** Returns Pillow's order: an image that loses more than twice as many rows as columns is resized in height first. */
    static boolean rowsFirst(Pixels image, int width, int height) {
        int lost = image.height() - height;
        return lost > 0 && lost > (image.width() - width) * 2;
    }

    private static int resized(int length, int other, ImagePreprocessing to) {
        return to.keepsAspect() && length > other ? (int) (to.edge() * length / (double) other) : to.edge();
    }

    /** Returns the resize to {@code to} pixels with a center crop. */
    private static AntialiasedResize cut(int from, int to, ImagePreprocessing preprocessing) {
        int side = preprocessing.side();
        return AntialiasedResize.of(
                new Side(from, to, (to - side) / 2, side), preprocessing.filter(), Arithmetic.PILLOW);
    }

    /**
     * Resizes an image to bytes (rows, columns, 3), red, green, blue.
     *
     * @param rowsFirst the order of the two directions, which affects the last bits
     */
    static byte[] resize(Pixels image, AntialiasedResize columns, AntialiasedResize rows, boolean rowsFirst) {
        int left = columns.begin();
        int top = rows.begin();
        int width = columns.end() - left;
        byte[] source = image.bytes(left, top, width, rows.end() - top);
        return rowsFirst
                ? columns.acrossColumns(rows.acrossRows(source, width, top), width, left)
                : rows.acrossRows(columns.acrossColumns(source, width, left), columns.count(), top);
    }
}
