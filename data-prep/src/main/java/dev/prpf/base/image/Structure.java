package dev.prpf.base.image;

import dev.prpf.base.image.EncodedImage.ImageFormat;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an image file other than its pixels, read to detect truncated and damaged files. ImageIO does not report it: it
 * decodes a truncated JPEG to grey below the end.
 *
 * @param frames number of frames of a PNG or GIF, as far as the file goes; animated images are rejected
 * @param scans number of scans of a JPEG if it was read to its end; else at most 1
 * @param ended whether the end marker was read; false if only the header of a JPEG was read
 */
record Structure(ImageFormat format, int frames, int scans, Orientation orientation, boolean ended) {
    private static final int PNG_SIGNATURE = 8;
    private static final int DATA = 0x49444154; // "IDAT"
    private static final int ANIMATION = 0x6163544C; // "acTL", before the data
    private static final int EXIF = 0x65584966; // "eXIf"
    private static final int END = 0x49454E44; // "IEND"
    private static final int MAX_EXIF = 1 << 16; // the limit of a JPEG

    private static final int GIF_SIGNATURE = 6;
    private static final int IMAGE = 0x2C;
    private static final int EXTENSION = 0x21;
    private static final int TRAILER = 0x3B;
    /** The JDK's decoder needs time for the square of the number of blocks: 0.1 s for this many. */
    private static final int MAX_EXTENSION_BLOCKS = 10_000;

    private static final int BMP_SIGNATURE = 2;

    private static final int SCAN = 0xDA; // SOS
    private static final int END_OF_IMAGE = 0xD9; // EOI
    private static final int APPLICATION = 0xE1; // APP1
    private static final String EXIF_HEAD = "Exif\0\0";
    private static final int FILL = 0xFF;

    /**
     * Reads the structure of a file, or of its intact beginning. Returns null for an unknown format.
     *
     * @param toEnd whether a JPEG is read to its end, not only to its pixels
     */
    static @Nullable Structure of(InputStream file, boolean toEnd) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(file));
        in.mark(ImageFormat.LONGEST_SIGNATURE);
        ImageFormat format = ImageFormat.of(in.readNBytes(ImageFormat.LONGEST_SIGNATURE));
        if (format == null) {
            return null;
        }
        in.reset();
        return switch (format) {
            case PNG -> ofPng(in);
            case JPEG -> ofJpeg(in, toEnd);
            case GIF -> ofGif(in);
            case BMP -> structure(format, 1, null, bmpEnded(in));
        };
    }

    /** Reads a PNG's chunks: length, kind, content, checksum. */
    private static Structure ofPng(DataInputStream in) throws IOException {
        int frames = 1;
        Orientation orientation = null;
        boolean data = false;
        try {
            in.skipNBytes(PNG_SIGNATURE);
            while (true) {
                long length = Integer.toUnsignedLong(in.readInt());
                int kind = in.readInt();
                data |= kind == DATA;
                if (kind == ANIMATION && !data) {
                    frames = Math.max(1, in.readInt());
                    length -= Integer.BYTES;
                } else if (kind == EXIF && orientation == null && length <= MAX_EXIF) {
                    orientation = Orientation.ofExif(in.readNBytes((int) length));
                    length = 0;
                }
                in.skipNBytes(length + Integer.BYTES);
                if (kind == END) {
                    return structure(ImageFormat.PNG, frames, orientation, true);
                }
            }
        } catch (EOFException e) {
            return structure(ImageFormat.PNG, frames, orientation, false);
        }
    }

    /** Reads a JPEG's segments: marker, length, content. Pixels follow a scan. The first EXIF block before the pixels is used. */
    private static Structure ofJpeg(DataInputStream in, boolean toEnd) throws IOException {
        Orientation orientation = null;
        int scans = 0;
        boolean ended = false;
        try {
            while (!ended && (toEnd || scans == 0)) {
                int marker = marker(in);
                ended = marker == END_OF_IMAGE;
                scans += marker == SCAN ? 1 : 0;
                if (ended || isStandalone(marker)) {
                    continue;
                }
                int length = Math.max(0, in.readUnsignedShort() - Short.BYTES);
                if (marker == APPLICATION && orientation == null && scans == 0) {
                    orientation = ofApplication(in.readNBytes(length));
                } else {
                    in.skipNBytes(length);
                }
            }
        } catch (EOFException e) {
            ended = false;
        }
        return new Structure(
                ImageFormat.JPEG, 1, scans, orientation == null ? Orientation.UPRIGHT : orientation, ended);
    }

    /** Reads a GIF's images and extensions, which end with blocks; other bytes are skipped. */
    private static Structure ofGif(DataInputStream in) throws IOException {
        int frames = 0;
        int extensions = 0;
        boolean ended = false;
        try {
            in.skipNBytes(GIF_SIGNATURE + 2 * Short.BYTES); // width, height
            skipColours(in, 2); // background, aspect
            while (!ended) {
                int kind = in.readUnsignedByte();
                ended = kind == TRAILER;
                if (kind == IMAGE) {
                    frames++;
                    in.skipNBytes(4 * Short.BYTES); // left, top, width, height
                    skipColours(in, 1); // the codes' size
                    skipBlocks(in);
                } else if (kind == EXTENSION) {
                    in.skipNBytes(1);
                    extensions += skipBlocks(in);
                    if (extensions > MAX_EXTENSION_BLOCKS) {
                        throw new IOException("it has more than " + MAX_EXTENSION_BLOCKS + " blocks of extensions");
                    }
                }
            }
        } catch (EOFException e) {
            ended = false;
        }
        return structure(ImageFormat.GIF, frames, null, ended);
    }

    /** Skips flags, a colour table of the length in the flags, and {@code others} more bytes. */
    private static void skipColours(DataInputStream in, int others) throws IOException {
        int flags = in.readUnsignedByte();
        in.skipNBytes(others + ((flags & 0x80) == 0 ? 0 : 3 << ((flags & 7) + 1)));
    }

    private static int skipBlocks(DataInputStream in) throws IOException {
        int blocks = 0;
        int length;
        do {
            length = in.readUnsignedByte();
            in.skipNBytes(length);
            blocks++;
        } while (length > 0);
        return blocks;
    }

    /** Tests whether the file has the size that follows the signature. */
    private static boolean bmpEnded(DataInputStream in) throws IOException {
        try {
            in.skipNBytes(BMP_SIGNATURE);
            long size = Integer.toUnsignedLong(Integer.reverseBytes(in.readInt()));
            in.skipNBytes(size - BMP_SIGNATURE - Integer.BYTES);
            return true;
        } catch (EOFException e) {
            return false;
        }
    }

    private static Structure structure(
            ImageFormat format, int frames, @Nullable Orientation orientation, boolean ended) {
        return new Structure(format, frames, 1, orientation == null ? Orientation.UPRIGHT : orientation, ended);
    }

    /** Returns the orientation of an application segment, or null if the segment is not EXIF. */
    private static @Nullable Orientation ofApplication(byte[] content) {
        int head = EXIF_HEAD.length();
        boolean exif =
                new String(content, 0, Math.min(head, content.length), StandardCharsets.ISO_8859_1).equals(EXIF_HEAD);
        return exif ? Orientation.ofExif(Arrays.copyOfRange(content, head, content.length)) : null;
    }

    /** Returns the next marker; other bytes are skipped. 0xFF followed by zero is a byte of pixels. */
    private static int marker(DataInputStream in) throws IOException {
        int code;
        do {
            while (in.readUnsignedByte() != FILL) {}
            do {
                code = in.readUnsignedByte();
            } while (code == FILL);
        } while (code == 0);
        return code;
    }

    /** Returns whether a marker has no content: TEM, the restarts within a scan, and SOI. */
    private static boolean isStandalone(int marker) {
        return marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8);
    }

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
}
